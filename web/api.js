// Calls of the server, with the token; and what is new, as it comes.

const KEY = 'stele.token';

export class Failure extends Error {
  constructor(status, problem) {
    super(problem.detail || `the server answered ${status}`);
    this.status = status;
    this.hint = problem.hint || '';
  }
}

// The address that the server prints carries the token behind #, which no server sees. It is taken out of
// the address at once, so that it is in no history, bookmark or screenshot.
export function takeToken() {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (!found) return;
  keepToken(found[1], false);
  history.replaceState(history.state, '', location.pathname + location.search);
}

export function keepToken(token, remember) {
  sessionStorage.setItem(KEY, token);
  if (remember) localStorage.setItem(KEY, token);
}

export function forgetToken() {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

const token = () => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? '';

// '/v1/search' and {query: 'a', role_filter: ['user']} are one address. What is empty is left out.
export function address(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') query.append(name, one);
    }
  }
  return query.size ? `${path}?${query}` : path;
}

async function request(where, { signal, headers, method, body } = {}) {
  const answer = await fetch(where, { method, body, signal, cache: 'no-cache', headers: { ...headers, Authorization: `Bearer ${token()}` } });
  if (answer.ok) return answer;
  const text = await answer.text();
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    problem = { detail: text.slice(0, 200) };
  }
  throw new Failure(answer.status, problem);
}

// `note`, if it is there, is called with what the library remarked on the call.
export async function get(path, params, options) {
  const answer = await request(address(path, params), options);
  const remarks = answer.headers.get('Stele-Notes');
  if (remarks) options?.note?.(decodeURIComponent(remarks));
  return answer.json();
}

// A write is finished even if the view is left meanwhile.
export async function post(path, args) {
  return (await request(path, { method: 'POST', body: JSON.stringify(args) })).json();
}

export async function text(where, options) {
  return (await request(where, options)).text();
}

// ---- What is new ----

const rest = (ms, signal) => new Promise((done) => {
  const timer = setTimeout(done, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
});

async function* lines(stream) {
  const decoder = new TextDecoder();
  let held = '';
  for await (const bytes of stream) {
    const parts = (held + decoder.decode(bytes, { stream: true })).split('\n');
    held = parts.pop();
    yield* parts;
  }
}

// Server-sent events, through fetch: EventSource can send no token. An event is an id and one line of data.
async function listen(where, after, signal, tell) {
  const answer = await request(where, { signal, headers: after.id ? { 'Last-Event-ID': after.id } : {} });
  tell.state(true);
  for await (const line of lines(answer.body)) {
    if (line.startsWith('id: ')) after.id = line.slice(4);
    else if (line.startsWith('data: ')) tell.message(JSON.parse(line.slice(6)));
  }
}

// Follow the conversations, or one session, until the signal; a connection that is lost is made again.
export async function follow(session, signal, tell) {
  const where = address('/v1/follow', { store: 'conversation', session });
  const after = { id: '' };
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 15000)) {
    try {
      await listen(where, after, signal, { ...tell, state: (on) => { wait = 500; tell.state(on); } });
    } catch (failure) {
      if (failure instanceof Failure && failure.status < 500) return; // it will not become better
    }
    if (signal.aborted) return;
    tell.state(false);
    await rest(wait, signal);
  }
}
