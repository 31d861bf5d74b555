// How the server, its stores and everything that brings something into them are.

import { board } from './board.js';
import { h, said } from './dom.js';
import { entry, foldedJson, list, state, table, when } from './entry.js';
import * as f from './format.js';

export const nav = '/health';

// ---- The server ----

function card(label, value, more) {
  return h('div', { class: 'card' }, h('dt', null, label), h('dd', null, value, more ? h('small', null, more) : null));
}

const soundStates = ['current', 'fresh', 'absent'];
const isSound = (store) => soundStates.includes(store.state) && !store.problem;

function cardsOf(status, view, version) {
  const size = status.stores.reduce((sum, store) => sum + (store.bytes ?? 0), 0);
  const problems = status.stores.filter((store) => !isSound(store)).length + status.jobs.filter((job) => job.last_error).length;
  return h('dl', { class: 'cards' },
    card('Server and stores', problems ? f.many(problems, 'problem') : 'are well'),
    card('On disk', f.bytes(size)),
    card('Running for', f.duration(status.uptime_seconds)),
    card('Connections', f.number(status.connections), `${f.number(status.followers)} following`),
    card('Stele', status.version, version && `SQLite ${version.sqlite}${version.postgres ? ', PostgreSQL' : ''}`));
}

function storeRow(store) {
  return [store.store, state(store.problem ? `${store.state}: ${store.problem}` : store.state, isSound(store)), store.engine,
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

function backupsOf(jobs) {
  const job = jobs.find((one) => one.name === 'backup');
  const words = !job ? 'No backups are made by themselves: serve.backup in the configuration says how often, `stele backup` makes one now.'
    : job.last_error ? `The last backup failed: ${job.last_error}` : job.last_started ? `The last backup was made ${f.ago(job.last_started)}.` : 'The first backup is yet to be made.';
  return h('p', { class: job?.last_error ? 'none bad' : 'none' }, said(words, 300));
}

const jobsOf = (jobs) => (jobs.length ? table('Background work', ['Job', 'State', 'Every', 'Runs', 'Failures', 'Last', 'Took', 'Heartbeat'], jobs.map(jobRow), true)
  : h('p', { class: 'none' }, 'No background work: the server was started without.'));

const serverOf = (status, view, version) => [
  cardsOf(status, view, version),
  table('Stores', ['Store', 'State', 'Engine', 'Version', 'Size', 'Log', 'Durability', 'Commits', 'Waited', 'Where'], status.stores.map(storeRow), true),
  jobsOf(status.jobs), backupsOf(status.jobs)];

// ---- What comes in ----

function alarmOf(alarm, view) {
  const note = h('input', { type: 'text', placeholder: 'Why it needs no more attention', 'aria-label': 'Note', maxlength: '500' });
  return entry({
    key: `alarm ${alarm.id}`,
    kind: alarm.invariant_id,
    title: alarm.source ?? 'Capturing',
    time: when(alarm.raised_at),
    meta: [state(alarm.state, alarm.state !== 'active'), alarm.since_ms && `since ${f.moment(alarm.since_ms)}`, alarm.resolved_at && `resolved ${f.ago(alarm.resolved_at)}`],
    more: alarm.details ? [foldedJson(`details ${alarm.id}`, 'In which way', alarm.details)] : [],
    actions: [note, view.action({ label: 'Acknowledge', key: `alarm ${alarm.id}`, method: 'capture.ack_alarm',
      args: () => ({ id: alarm.id, ...(note.value.trim() ? { note: note.value.trim() } : {}) }), done: `Acknowledged: ${alarm.invariant_id} ${alarm.source ?? ''}` })],
  });
}

const failed = (source) => source.consecutive_failures > 0 || source.probe_ok === false;

function sourceRow(one) {
  const words = one.consecutive_failures ? `${f.many(one.consecutive_failures, 'failure')}: ${one.last_error_msg ?? ''}` : one.probe_ok === false ? 'the last probe was lost' : 'well';
  return [one.source, state(words, !failed(one)), f.number(one.events_last_1h), f.number(one.events_last_24h), f.ago(one.last_event_ts) || '–', f.ago(one.last_success_ts) || '–',
    one.probe_last_run_ts ? `${one.probe_ok ? `${f.number(one.probe_lag_ms)} ms` : 'lost'}, ${f.ago(one.probe_last_run_ts)}` : '–', f.ago(one.last_heartbeat_ts) || '–'];
}

const queueRow = (one) => [one.queue, f.number(one.pending), f.number(one.processing), f.number(one.done), state(f.number(one.failed), one.failed === 0), f.number(one.skipped), f.ago(one.waits_since) || '–'];
const indexRow = (one) => [one.store, state(one.problem ?? (!one.made ? 'not made yet' : one.missing ? `${f.number(one.missing)} behind` : 'up to date'), !one.problem), one.form, f.bytes(one.bytes)];
const dropRow = (one) => [one.source, one.cause || '–', f.number(one.dropped), f.ago(one.last_at)];

export const open = board({
  title: 'Health',
  parts: [
    { title: 'Alarms', method: 'capture.list_alarms', page: 100, args: () => ({}), none: 'No alarm stands.', draw: (rows, view) => list(rows.map((one) => alarmOf(one, view))) },
    { title: 'The server', method: '/v1/status', also: { method: 'stele.version', args: () => ({}) }, draw: serverOf },
    { title: 'Sources', method: 'capture.list_source_health', none: 'Nothing is captured yet.',
      draw: (rows) => table('Sources', ['Source', 'State', 'Last hour', 'Last day', 'Newest', 'Brought', 'Probe', 'Heartbeat'], rows.map(sourceRow)) },
    { title: 'Queues', method: 'capture.queue_depth', none: 'There are no queues yet.',
      draw: (rows) => table('Queues', ['Queue', 'Waiting', 'In work', 'Done', 'Failed', 'Skipped', 'Waits since'], rows.map(queueRow)) },
    { title: 'Lost', method: 'capture.count_drops', none: 'Nothing was lost.', draw: (rows) => table('Lost', ['Source', 'Cause', 'How much', 'Last'], rows.map(dropRow)) },
    { title: 'Index', method: 'recall.index_status', none: 'There is nothing to search.', draw: (rows) => table('Index', ['Store', 'State', 'Form', 'Size'], rows.map(indexRow)) },
  ],
});
