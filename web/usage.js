// Tokens and costs of sessions over time.

import * as f from './format.js';
import { plots } from './plot.js';

// Every stretch between the first and the last has a bar, also those in which nothing was.
function filled(time, stretch) {
  const rows = new Map(time.map((row) => [Math.round(row.start), row]));
  const from = Math.round(time[0].start);
  const to = Math.round(time.at(-1).start);
  const starts = [];
  for (let at = from; at <= to && starts.length < 5000; at += stretch) starts.push(at);
  return { starts, of: (pick) => starts.map((at) => (rows.has(at) ? pick(rows.get(at)) : 0)) };
}

function barsOf(label, values, write) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return { label, total, whole: `${write(total)} in all`, bars: true, write, series: [{ label, values }] };
}

export function usagePlots(where, time, stretch, signal) {
  if (!time.length) return plots(where, [], [], stretch, signal);
  const { starts, of } = filled(time, stretch);
  const tokens = barsOf('Tokens', of((row) => row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens), f.short);
  const cost = barsOf('Cost', of((row) => row.cost_usd ?? 0), (value) => f.money(value) || '$0');
  return plots(where, cost.total > 0 ? [tokens, cost] : [tokens], starts, stretch, signal);
}
