// A small graph: one thing in the middle, what belongs to it around it, the lines thicker the more speaks for them.

import { clip, svg } from './dom.js';

const [WIDTH, HEIGHT] = [720, 340];
const [CENTRE_X, CENTRE_Y] = [WIDTH / 2, HEIGHT / 2];
const RINGS = [[230, 105], [300, 140]]; // half axes; every second one stands on the outer ring, so that names have room

function placeOf(i, count) {
  const [across, down] = RINGS[count > 8 ? i % 2 : 0];
  const angle = (2 * Math.PI * i) / count - Math.PI / 2;
  return [Math.round(CENTRE_X + across * Math.cos(angle)), Math.round(CENTRE_Y + down * Math.sin(angle))];
}

const dot = (x, y, radius, kind) => svg('circle', { cx: x, cy: y, r: radius, class: kind });
const label = (x, y, words) => svg('text', { x, y: y + 22, 'text-anchor': 'middle' }, words);

export function graph(name, others) {
  const most = Math.max(1, ...others.map((one) => one.weight));
  const places = others.map((one, i) => placeOf(i, others.length));
  const lines = others.map((one, i) => svg('line', { x1: CENTRE_X, y1: CENTRE_Y, x2: places[i][0], y2: places[i][1], 'stroke-width': 1 + Math.round((4 * one.weight) / most) }));
  const dots = others.map((one, i) => svg('a', { href: one.href, 'aria-label': `${clip(one.name, 80)}: ${one.words}` },
    svg('title', null, `${clip(one.name, 200)}: ${one.words}`), dot(...places[i], 8, 'other'), label(...places[i], clip(one.name, 20))));
  return svg('svg', { class: 'graph', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': `What belongs together with ${clip(name, 80)}` },
    lines, dot(CENTRE_X, CENTRE_Y, 11, 'centre'), label(CENTRE_X, CENTRE_Y, clip(name, 30)), dots);
}
