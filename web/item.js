// One thing of any store, whole, and what happened around it.

import { board } from './board.js';
import { clip, h, said } from './dom.js';
import { foldedJson, list } from './entry.js';
import * as f from './format.js';
import { eventRow } from './recall.js';
import { proseOf } from './text.js';

export const nav = '/recall';

const AROUND = 8; // on each side

const refOf = (page) => page.params.get('ref') ?? '';

// Messages are read in their session.
function placeOf(item) {
  if (item.store !== 'conversation' || item.kind !== 'message' || !item.session) return null;
  return h('a', { href: `/session/${encodeURIComponent(item.session)}#m${item.id}` }, 'In its session');
}

function itemOf(item) {
  if (!item.store) return h('p', { class: 'none' }, 'It is not there, or only its own session may see it.');
  return h('article', { class: 'item row', tabindex: '-1', 'data-key': item.ref },
    item.title ? h('h3', null, said(item.title, 300)) : null,
    h('p', { class: 'meta' }, said(`${item.store} ${item.kind}`, 60), f.iso(item.time) ? h('time', { datetime: f.iso(item.time) }, f.moment(item.time)) : null,
      item.role ? said(item.role, 60) : null, item.project ? said(item.project, 200) : null, item.session ? said(item.session, 80) : null,
      item.mark ? said(item.mark, 20) : null, placeOf(item)),
    item.url ? h('p', { class: 'meta' }, said(item.url, 500)) : null,
    h('div', { class: 'entry-text' }, proseOf(item.text ?? '')),
    item.extra ? foldedJson(`extra ${item.ref}`, `More: ${clip(item.extra, 80)}`, item.extra) : null);
}

export const open = board({
  title: 'Item',
  parts: [{
    title: 'All of it',
    method: 'recall.get',
    args: (page) => ({ refs: [refOf(page)] }),
    none: 'It is not there.',
    draw: (items) => items.map(itemOf),
  }, {
    title: 'What happened around it',
    method: 'recall.timeline',
    still: true,
    args: (page) => ({ ref: refOf(page), before: AROUND, after: AROUND }),
    none: 'Nothing else is known of that time.',
    draw: (rows) => list(rows.map(eventRow)),
  }],
});
