// How the programs run: how often their handlers are called, how often these fail, how long they take, and which
// processes there were.

import { board } from './board.js';
import { h, said } from './dom.js';
import { state, table, when } from './entry.js';
import * as f from './format.js';
import { plots } from './plot.js';
import { RANGES, sinceText } from './range.js';

export const nav = '/telemetry';

const BUCKETS = 72;
const SHORTEST = 60; // a stretch is a minute or more: calls are counted per minute
const SLOW_MS = 0; // the slowest, however quick they are
const WEEK = RANGES.find(([name]) => name === '7d')[2]; // runs are kept for so long, unless the configuration says otherwise

// Without a choice, as much as is kept. Whole minutes, so that an answer can be known again.
function spanOf({ params }) {
  const until = Math.ceil(Date.now() / 1000 / SHORTEST) * SHORTEST;
  const chosen = sinceText(params.get('since') ?? '');
  const from = chosen ? f.seconds(chosen) : until - WEEK;
  return { since: new Date(from * 1000).toISOString(), until: new Date(until * 1000).toISOString(), buckets: Math.max(1, Math.min(BUCKETS, Math.floor((until - from) / SHORTEST))) };
}

const milliseconds = (value) => (value >= 1000 ? `${Number((value / 1000).toPrecision(3))} s` : `${Number(value.toPrecision(3))} ms`);
const percent = (value) => `${Number((value * 100).toPrecision(3))} %`;
const sum = (values) => values.reduce((all, value) => all + value, 0);

// The plots of a part, once it has a width.
function plotted(buckets, view, figuresOf) {
  const where = h('div', { class: 'plots' });
  const starts = buckets.map((one) => one.start);
  const stretch = starts.length > 1 ? starts[1] - starts[0] : SHORTEST;
  queueMicrotask(() => plots(where, figuresOf(stretch), starts, stretch, view.page.signal));
  return where;
}

function callsOf(buckets, view) {
  const all = buckets.map((one) => one.invocations + one.executions);
  const errors = buckets.map((one) => one.invocation_errors + one.execution_errors);
  return plotted(buckets, view, (stretch) => [
    { label: 'Calls per minute', whole: `${f.number(sum(all))} calls in all`, bars: true, write: (value) => String(Number(value.toPrecision(3))), series: [{ label: 'calls', values: all.map((one) => one * 60 / stretch) }] },
    { label: 'Error rate', whole: `${f.number(sum(errors))} errors in all`, bars: true, write: percent, series: [{ label: 'errors', values: all.map((one, i) => (one ? errors[i] / one : 0)), colour: '--bad' }] },
  ]);
}

const SHARES = [['half', 'p50_ms'], ['95 of 100', 'p95_ms'], ['99 of 100', 'p99_ms']];

function latencyOf(buckets, view) {
  const worst = Math.max(0, ...buckets.map((one) => one.p99_ms ?? 0));
  return plotted(buckets, view, () => [{ label: 'Latency', whole: worst ? `99 of 100 within ${milliseconds(worst)}` : 'no calls', write: milliseconds,
    series: SHARES.map(([label, name]) => ({ label, values: buckets.map((one) => one[name]) })) }]);
}

const slowRow = (one) => [said(one.handler_method, 60), said(one.app_key, 60), said(one.topic, 60), milliseconds(one.duration_ms), state(one.error_type ?? one.status, one.status === 'success'), when(one.execution_start_dtme)];
const errorRow = (one) => [said(one.handler_method, 60), said(one.app_key, 60), said(one.error_type ?? '–', 60), said(one.error_message ?? '–', 120), when(one.execution_start_dtme)];

function sessionRow(one) {
  return [`#${one.session_id}`, state(one.status, !['error', 'unknown'].includes(one.status)), f.moment(one.started_at), one.stopped_at ? f.moment(one.stopped_at) : '–',
    f.number(one.invocations + one.executions), f.number(one.invocation_errors + one.execution_errors)];
}

// The newest sessions; those that began within the time range. Each but the first is a restart.
function sessionsOf(rows, view) {
  const from = f.seconds(sinceText(view.page.params.get('since') ?? '') ?? 0);
  const shown = rows.filter((one) => one.started_at >= from || (one.stopped_at ?? Infinity) >= from);
  return [h('p', { class: 'meta' }, f.many(Math.max(0, shown.filter((one) => one.started_at >= from).length), 'start'), `${f.many(shown.filter((one) => one.status === 'error').length, 'session')} ended in an error`),
    table('Sessions', ['Session', 'State', 'Started', 'Stopped', 'Calls', 'Errors'], shown.map(sessionRow))];
}

export const open = board({
  title: 'Telemetry',
  range: true,
  parts: [
    { title: 'Calls', method: 'telemetry.get_time_buckets', args: spanOf, none: 'Nothing ran yet.', draw: callsOf },
    { title: 'How long they took', method: 'telemetry.get_latency', args: spanOf, none: 'Nothing ran yet.', draw: latencyOf },
    { title: 'Slow handlers', method: 'telemetry.get_slow_handlers', page: 20, args: ({ params }) => ({ threshold_ms: SLOW_MS, since: sinceText(params.get('since') ?? '') }), none: 'No handler ran in this time.',
      draw: (rows) => table('Slow handlers', ['Handler', 'App', 'Topic', 'Took', 'State', 'When'], rows.map(slowRow)) },
    { title: 'Errors', method: 'telemetry.get_recent_errors', page: 20, args: (page) => ({ since: spanOf(page).since }), none: 'Nothing went wrong in this time.',
      draw: (rows) => table('Errors', ['Handler', 'App', 'Error', 'What it said', 'When'], rows.map(errorRow)) },
    { title: 'Sessions and restarts', method: 'telemetry.get_session_totals', page: 20, args: () => ({}), none: 'No process ran yet.', draw: sessionsOf },
  ],
});
