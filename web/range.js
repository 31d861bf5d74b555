// The time range: one for the whole page, in the address as since=7d.

import { h } from './dom.js';

export const RANGES = [
  ['', 'All time', 0],
  ['1d', '24 hours', 86400],
  ['7d', '7 days', 604800],
  ['30d', '30 days', 2592000],
  ['1y', 'A year', 31536000],
];

const secondsOf = (range) => RANGES.find(([name]) => name === range)?.[2] ?? 0;

// Seconds since 1970, or undefined for all time. Whole minutes, so that an answer can be known again.
export function since(range) {
  const seconds = secondsOf(range);
  return seconds ? Math.floor((Date.now() / 1000 - seconds) / 60) * 60 : undefined;
}

// The same as a text, which every store understands, whatever it counts.
export function sinceText(range) {
  const from = since(range);
  return from && new Date(from * 1000).toISOString();
}

export function rangePicker(chosen, choose) {
  return h('div', { class: 'range', role: 'group', 'aria-label': 'Time range' }, RANGES.map(([name, words]) => h('button', {
    type: 'button', 'aria-pressed': String(name === chosen), onclick: () => choose(name),
  }, words)));
}
