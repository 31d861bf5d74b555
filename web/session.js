// Reading a session: its account, where it came from, and its messages, in pages as one scrolls.

import { get } from './api.js';
import { calmly, h, replace, said } from './dom.js';
import * as f from './format.js';
import { jsonLink } from './json.js';
import { messageOf, spend } from './message.js';
import { proseOf } from './text.js';

export const nav = '/sessions';

const PAGE = 100;
const AROUND = 40; // messages on each side of the one that is jumped to

// ---- The head ----

const figure = (value, words) => h('span', null, h('b', null, value), ` ${words}`);

function figuresOf(session) {
  const read = (session.input_tokens ?? 0) + (session.cache_read_tokens ?? 0) + (session.cache_write_tokens ?? 0);
  const cost = session.actual_cost_usd ?? session.estimated_cost_usd;
  return h('p', { class: 'totals' },
    figure(f.number(session.message_count), 'messages'),
    session.tool_call_count ? figure(f.number(session.tool_call_count), 'tool calls') : null,
    read ? figure(f.short(read), 'tokens read') : null,
    session.output_tokens ? figure(f.short(session.output_tokens), 'tokens written') : null,
    session.reasoning_tokens ? figure(f.short(session.reasoning_tokens), 'of reasoning') : null,
    cost ? figure(f.money(cost), session.actual_cost_usd === null ? 'estimated' : 'cost') : null);
}

function relative(session, words) {
  return h('li', null, h('span', { class: 'muted' }, words), ' ',
    h('a', { href: `/session/${encodeURIComponent(session.id)}` }, said(session.title ?? session.id, 100)),
    h('span', { class: 'muted' }, ` ${f.many(session.message_count, 'message')}`));
}

// The sessions above, nearest last, and those directly below.
function lineageOf(above, below) {
  const parents = above.filter((one) => one.depth > 0).reverse().map((one) => relative(one, 'from'));
  const children = below.filter((one) => one.depth === 1).map((one) => relative(one, one.kind));
  if (!parents.length && !children.length) return null;
  const list = h('ul', { class: 'lineage', 'aria-label': 'Lineage' }, parents, children.slice(0, 6));
  if (children.length <= 6) return list;
  return h('div', null, list, h('details', { class: 'part' }, h('summary', null, `${children.length - 6} more`), h('ul', { class: 'lineage' }, children.slice(6))));
}

function headOf(session, origin, above, below) {
  const id = encodeURIComponent(session.id);
  const lasted = (session.ended_at ?? 0) - session.started_at;
  return h('header', { class: 'session-head' },
    h('h1', null, said(session.title ?? 'Untitled session', 300)),
    h('p', { class: 'meta' }, said(session.source, 60), origin?.cwd ? h('span', { title: origin.cwd.slice(0, 500) }, said(f.project(origin.cwd), 80)) : null,
      origin?.branch ? said(origin.branch, 60) : null, session.model ? said(session.model, 80) : null,
      h('time', { datetime: f.iso(session.started_at) }, f.moment(session.started_at)),
      session.ended_at && lasted > 0 ? h('span', null, f.duration(lasted)) : null),
    figuresOf(session),
    lineageOf(above, below),
    session.system_prompt ? h('details', { class: 'part' }, h('summary', null, 'System prompt'), proseOf(session.system_prompt)) : null,
    h('p', { class: 'links' }, jsonLink(`/v1/sessions/${id}`, {}, 'JSON of the session'), jsonLink(`/v1/sessions/${id}/messages`, {}, 'of its messages'),
      h('code', { class: 'muted' }, said(session.id, 80))));
}

// ---- The messages ----

class Reader {
  constructor(page, id, span) {
    this.page = page;
    this.id = id;
    this.last = span.last_id ?? 0; // of the session
    this.results = new Map(); // by the id of a call: how its result is shown
    this.list = h('div', { class: 'messages' });
    this.above = h('div', { class: 'more' });
    this.below = h('div', { class: 'more' });
    this.first = Infinity; // of those shown
    this.newest = 0;
    this.start = span.first_id ?? 0;
    this.loading = false;
    this.turn = 0; // counts the jumps: what was asked for before one is not wanted after it
    this.watch = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) this.next(); }, { rootMargin: '1200px' });
    page.signal.addEventListener('abort', () => this.watch.disconnect());
  }

  path(rest) { return `/v1/sessions/${encodeURIComponent(this.id)}${rest}`; }

  add(messages, before = false) {
    if (!messages.length) return;
    this.list.querySelector('.none')?.remove();
    const made = messages.map((message) => messageOf(message, this.results)).filter(Boolean);
    const all = before ? made : [this.list.lastElementChild, ...made];
    for (let i = 1; i < all.length; i++) { // an assistant who goes on is not named again
      if (all[i - 1]?.matches('.assistant') && all[i].matches('.assistant')) all[i].classList.add('goes-on');
    }
    if (before) this.list.prepend(...made);
    else this.list.append(...made);
    this.first = Math.min(this.first, messages[0].id);
    this.newest = Math.max(this.newest, messages.at(-1).id);
    this.offer();
    this.account(messages);
  }

  // What the requests to the model took, at the message each ended with; where a transcript tells it.
  async account(messages) {
    try {
      const rows = await get('/v1/conversation/list_message_usage', { session_id: this.id, after: messages[0].id - 1, limit: messages.length }, { signal: this.page.signal });
      for (const row of rows) spend(this.list.querySelector(`#m${row.message_id} header`), row);
    } catch (failure) {
      if (!this.page.signal.aborted) this.page.fail(failure);
    }
  }

  offer() {
    const end = this.newest >= this.last;
    replace(this.above, this.first > this.start && h('button', { type: 'button', onclick: () => this.previous() }, 'Earlier messages'));
    replace(this.below, !end && h('button', { type: 'button', onclick: () => this.next() }, 'Later messages'));
    this.watch.unobserve(this.below);
    if (!end) this.watch.observe(this.below);
  }

  // One request at a time; a failure is shown where the messages were to come.
  async once(load) {
    if (this.loading) return;
    this.loading = true;
    const { turn } = this;
    try {
      const add = await load();
      if (turn === this.turn) add(); // else somebody jumped elsewhere meanwhile
    } catch (failure) {
      if (!this.page.signal.aborted) this.page.fail(failure);
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }

  next() {
    return this.once(async () => {
      const rows = await get('/v1/conversation/get_messages', { session_id: this.id, after: this.newest, limit: PAGE }, { signal: this.page.signal });
      return () => {
        const reached = rows.at(-1)?.id ?? this.newest;
        this.last = rows.length < PAGE ? reached : Math.max(this.last, reached); // the last may have been deleted
        this.add(rows);
        this.offer();
      };
    });
  }

  around(id, window) {
    return get('/v1/conversation/get_messages_around', { session_id: this.id, around_message_id: id, window }, { signal: this.page.signal });
  }

  previous() {
    return this.once(async () => {
      const found = await this.around(this.first, PAGE);
      return () => {
        const tall = document.documentElement.scrollHeight;
        this.add(found.window.filter((message) => message.id < this.first), true);
        scrollBy(0, document.documentElement.scrollHeight - tall);
      };
    });
  }

  clear() {
    this.turn += 1;
    this.loading = false;
    this.results.clear();
    this.list.replaceChildren();
    this.first = Infinity;
    this.newest = 0;
  }

  // In a long session: to its first message, and to its last.
  jumps() {
    const button = (words, to) => h('button', { type: 'button', class: 'quiet', onclick: () => this.jump(to()).catch((failure) => this.page.fail(failure)) }, words);
    return h('div', { class: 'jumps' }, button('First message', () => this.start), button('Last message', () => this.last));
  }

  // Show a message and mark it.
  async jump(id) {
    if (id < this.first || id > this.newest) {
      const found = await this.around(id, AROUND);
      if (!found?.window?.length) return this.next(); // it was deleted
      this.clear();
      this.add(found.window);
    }
    const place = document.getElementById(`m${id}`);
    if (!place) return undefined;
    if (place instanceof HTMLDetailsElement) place.open = true;
    for (const old of this.list.querySelectorAll('.here')) old.classList.remove('here');
    place.classList.add('here');
    place.closest('.row').focus({ preventScroll: true });
    place.scrollIntoView({ block: 'center' });
    return undefined;
  }
}

function hitOf(hash) {
  const found = /^#m(\d+)$/.exec(hash);
  return found ? Number(found[1]) : null;
}

export async function open(page) {
  const { signal } = page;
  const id = decodeURIComponent(page.path.slice('/session/'.length));
  const of = (method) => get(`/v1/conversation/${method}`, { session_id: id }, { signal });
  const [session, origin, above, below, span] = await Promise.all(
    ['get_session', 'get_origin', 'get_lineage', 'get_descendants', 'session_span'].map(of));
  if (!session) throw new Error('There is no session of that id. It may have been deleted.');
  page.title(session.title ?? 'Session');
  const reader = new Reader(page, id, span);
  const head = h('div', null, headOf(session, origin, above, below));
  replace(page.main, h('section', { class: 'reader' }, head, span.messages > PAGE ? reader.jumps() : null, reader.above, reader.list, reader.below));
  const hit = hitOf(location.hash);
  if (hit) await reader.jump(hit);
  else await reader.next();
  if (!reader.newest) replace(reader.list, h('p', { class: 'none' }, 'Nothing was said yet.'));
  addEventListener('hashchange', () => { const place = hitOf(location.hash); if (place) reader.jump(place); }, { signal });
  const recount = calmly(async () => {
    const now = await of('get_session').catch(() => null);
    if (now && !signal.aborted) replace(head, headOf(now, origin, above, below));
  }, 1000);
  page.follow(id, calmly(async () => { // what came is read as the rest is, with its tool calls
    const now = await of('session_span').catch(() => null);
    if (!now || now.last_id === null || now.last_id <= reader.last) return;
    const atEnd = reader.newest >= reader.last;
    reader.last = now.last_id;
    if (atEnd) await reader.next();
    else reader.offer();
    recount();
  }, 50));
}
