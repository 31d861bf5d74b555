// Figures over time, drawn by uPlot, in the colours of the page.

import { h, replace } from './dom.js';
import * as f from './format.js';

const HEIGHT = 150;
const COLOURS = ['--bar', '--accent', '--bad']; // of the first, second and third line

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// One line or row of bars of a plot.
function seriesOf(uPlot, { bars }, { label, colour }, i) {
  const shade = colourOf(colour ?? COLOURS[i]);
  if (!bars) return { label, stroke: shade, width: 1.75, points: { show: false }, spanGaps: true };
  return { label, fill: shade, stroke: shade, width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.72, 28], radius: 0.15 }) };
}

function options(uPlot, one, width, stretch) {
  const axis = { stroke: colourOf('--muted'), grid: { stroke: colourOf('--line'), width: 1 }, ticks: { show: false }, font: '12px Inter, system-ui, sans-serif' };
  return {
    width, height: HEIGHT, padding: [8, 8, 0, 0], legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: true, range: (u, min, max) => [min - stretch * 0.7, max + stretch * 0.7] }, y: { range: (u, min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [{ ...axis, grid: { show: false }, size: 30, space: 70, values: (u, splits, at, space, step) => splits.map(step < 86400 ? f.clock : f.day) },
      { ...axis, size: 58, values: (u, splits) => splits.map(one.write) }],
    series: [{}, ...one.series.map((line, i) => seriesOf(uPlot, one, line, i))],
  };
}

// What the plot says in words: in all; and of one stretch of time.
const worded = (one, at) => one.series.map((line) => `${one.series.length > 1 ? `${line.label} ` : ''}${line.values[at] === null ? '–' : one.write(line.values[at])}`).join(', ');

function figureOf(one) {
  const told = h('output', { class: 'muted' }, one.whole);
  const place = h('div', { class: 'plot', role: 'img', 'aria-label': `${one.label} over time, ${one.whole}` });
  return { ...one, told, place, figure: h('figure', null, h('figcaption', null, h('span', null, one.label), told), place) };
}

// Plots below each other, of the same time. A plot is {label, whole, bars, write, series: [{label, values}]}: `whole` says it in
// words, `write` a value, which is null where nothing is known; `starts` tells where each stretch begins.
export async function plots(where, wanted, starts, stretch, signal) {
  if (!starts.length) {
    replace(where);
    return;
  }
  const { default: uPlot } = await import('./uplot.js');
  if (signal.aborted) return;
  const figures = wanted.map(figureOf);
  replace(where, figures.map((one) => one.figure));
  for (const one of figures) draw(uPlot, one, starts, stretch, signal);
}

function draw(uPlot, one, starts, stretch, signal) {
  let plot = null;
  const hover = { hooks: { setCursor: (u) => {
    const at = u.cursor.idx;
    one.told.textContent = at === null || at === undefined ? one.whole : `${f.moment(starts[at])}: ${worded(one, at)}`;
  } } };
  const make = () => {
    plot?.destroy();
    plot = new uPlot({ ...options(uPlot, one, Math.max(one.place.clientWidth, 200), stretch), plugins: [hover] }, [starts, ...one.series.map((line) => line.values)], one.place);
  };
  make();
  const watch = new ResizeObserver(() => { if (one.place.clientWidth > 0) plot.setSize({ width: one.place.clientWidth, height: HEIGHT }); });
  watch.observe(one.place);
  document.addEventListener('themechange', () => { if (one.place.isConnected) make(); }, { signal });
  signal.addEventListener('abort', () => watch.disconnect());
}
