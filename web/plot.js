// Tokens and costs over time, drawn by uPlot, in the colours of the page.

import { h, replace } from './dom.js';
import * as f from './format.js';

const HEIGHT = 150;

// Every stretch between the first and the last has a bar, also those in which nothing was.
function filled(time, stretch) {
  const rows = new Map(time.map((row) => [Math.round(row.start), row]));
  const from = Math.round(time[0].start);
  const to = Math.round(time.at(-1).start);
  const starts = [];
  for (let at = from; at <= to && starts.length < 5000; at += stretch) starts.push(at);
  return { starts, of: (pick) => starts.map((at) => (rows.has(at) ? pick(rows.get(at)) : 0)) };
}

function options(uPlot, { label, write, width, stretch }) {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px Inter, system-ui, sans-serif' };
  return {
    width, height: HEIGHT, padding: [8, 8, 0, 0], legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: true, range: (u, min, max) => [min - stretch * 0.7, max + stretch * 0.7] }, y: { range: (u, min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [{ ...axis, grid: { show: false }, size: 30, space: 70, values: (u, splits, at, space, step) => splits.map(step < 86400 ? f.clock : f.day) }, { ...axis, size: 58, values: (u, splits) => splits.map(write) }],
    series: [{}, { label, fill: colour('--bar'), stroke: colour('--bar'), width: 0, points: { show: false },
      paths: uPlot.paths.bars({ size: [0.72, 28], radius: 0.15 }) }],
  };
}

function figure(label, values, write) {
  const total = values.reduce((sum, value) => sum + value, 0);
  const told = h('output', { class: 'muted' }, write(total));
  const place = h('div', { class: 'plot', role: 'img', 'aria-label': `${label} over time, ${write(total)} in all` });
  return { told, place, total, whole: h('figure', null, h('figcaption', null, h('span', null, label), told), place) };
}

export async function plots(where, time, stretch, signal) {
  if (!time.length) {
    replace(where);
    return;
  }
  const { default: uPlot } = await import('./uplot.js');
  if (signal.aborted) return;
  const { starts, of } = filled(time, stretch);
  const wanted = [
    { label: 'Tokens', values: of((row) => row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens), write: f.short },
    { label: 'Cost', values: of((row) => row.cost_usd ?? 0), write: (value) => f.money(value) || '$0' },
  ];
  const figures = wanted.map((one) => ({ ...one, ...figure(one.label, one.values, one.write) })).filter((one, i) => i === 0 || one.total > 0);
  replace(where, figures.map((one) => one.whole));
  for (const one of figures) draw(uPlot, one, starts, stretch, signal);
}

function draw(uPlot, one, starts, stretch, signal) {
  let plot = null;
  const hover = { hooks: { setCursor: (u) => {
    const at = u.cursor.idx;
    one.told.textContent = at === null || at === undefined ? one.write(one.total) : `${f.moment(starts[at])}: ${one.write(one.values[at])}`;
  } } };
  const make = () => {
    plot?.destroy();
    const width = Math.max(one.place.clientWidth, 200);
    plot = new uPlot({ ...options(uPlot, { ...one, width, stretch }), plugins: [hover] }, [starts, one.values], one.place);
  };
  make();
  const watch = new ResizeObserver(() => { if (one.place.clientWidth > 0) plot.setSize({ width: one.place.clientWidth, height: HEIGHT }); });
  watch.observe(one.place);
  document.addEventListener('themechange', make, { signal });
  signal.addEventListener('abort', () => watch.disconnect());
}
