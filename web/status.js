// How the server and its stores are.

import { get, text } from './api.js';
import { h, replace, said } from './dom.js';
import * as f from './format.js';
import { jsonLink } from './json.js';

export const nav = '/status';

const EVERY = 5000;

function table(caption, heads, rows) {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, h('table', null,
    h('caption', null, caption),
    h('thead', null, h('tr', null, heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', null, rows.map((cells) => h('tr', null, cells.map((cell, i) => h(i ? 'td' : 'th', i ? null : { scope: 'row' }, cell)))))));
}

function state(words, good) {
  return h('span', { class: `state ${good ? 'good' : 'bad'}` }, words);
}

function storeRow(store) {
  const fine = ['current', 'fresh', 'absent'].includes(store.state) && !store.problem;
  return [store.store, state(store.problem ? `${store.state}: ${store.problem}` : store.state, fine), store.engine,
    store.version === null ? '–' : `${store.version}${store.version === store.knows ? '' : ` of ${store.knows}`}`,
    f.bytes(store.bytes), f.bytes(store.wal_bytes), store.durability, f.number(store.commits),
    store.waits ? `${f.number(store.waits)}, at most ${Math.round(store.max_wait_ms)} ms` : '–', said(store.location, 200)];
}

function doing(job) {
  const now = job.progress;
  if (job.running) return now ? `${now.what}, ${f.number(now.done)}${now.total > 0 ? ` of ${f.number(now.total)}` : ''}` : 'running';
  return job.last_error ? `failed: ${job.last_error}` : 'idle';
}

function jobRow(job) {
  return [job.name, state(doing(job), !job.last_error),
    job.every_seconds ? f.duration(job.every_seconds) : '–', f.number(job.runs), f.number(job.failures),
    job.last_started ? f.ago(job.last_started) : 'not yet', job.last_started ? `${Math.round(job.last_ms)} ms` : '–',
    job.heartbeat ? f.ago(job.heartbeat) : '–'];
}

function backlog(metrics) {
  const found = /^stele_index_backlog_messages (\S+)/m.exec(metrics);
  return found ? Number(found[1]) : null;
}

function card(label, value, more) {
  return h('div', { class: 'card' }, h('dt', null, label), h('dd', null, value, more ? h('small', null, more) : null));
}

function draw(main, status, metrics, built) {
  const behind = backlog(metrics);
  const size = status.stores.reduce((sum, store) => sum + (store.bytes ?? 0), 0);
  const problems = status.stores.filter((store) => store.problem).length + status.jobs.filter((job) => job.last_error).length;
  replace(main, h('section', { class: 'status' },
    h('header', { class: 'head' }, h('h1', null, 'Status'), jsonLink('/v1/status')),
    h('dl', { class: 'cards' },
      card('Everything', problems ? f.many(problems, 'problem') : 'is well'),
      card('On disk', f.bytes(size)),
      card('Index', behind === null ? '–' : behind ? `${f.number(behind)} behind` : 'up to date', 'messages not indexed yet are found too'),
      card('Running for', f.duration(status.uptime_seconds)),
      card('Connections', f.number(status.connections), `${f.number(status.followers)} following`),
      card('Stele', status.version, built && `SQLite ${built.sqlite}${built.postgres ? ', PostgreSQL' : ''}`)),
    table('Stores', ['Store', 'State', 'Engine', 'Version', 'Size', 'Log', 'Durability', 'Commits', 'Waited', 'Where'], status.stores.map(storeRow)),
    status.jobs.length ? table('Background work', ['Job', 'State', 'Every', 'Runs', 'Failures', 'Last', 'Took', 'Heartbeat'], status.jobs.map(jobRow))
      : h('p', { class: 'muted' }, 'No background work: the server was started without.')));
}

export async function open(page) {
  const { signal } = page;
  page.title('Status');
  // A token for one store alone is told everything but this.
  const built = await get('/v1/stele/version', {}, { signal }).catch((failure) => { if (failure.status !== 403) throw failure; return null; });
  const look = async () => {
    const [status, metrics] = await Promise.all([get('/v1/status', {}, { signal }), text('/metrics', { signal })]);
    if (signal.aborted || page.main.contains(document.activeElement?.closest('.scroll'))) return; // somebody reads it
    draw(page.main, status, metrics, built);
  };
  await look();
  const timer = setInterval(() => { if (!document.hidden) look().catch((failure) => page.fail(failure)); }, EVERY);
  signal.addEventListener('abort', () => clearInterval(timer));
}
