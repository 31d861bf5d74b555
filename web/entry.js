// What boards and lists are made of: an entry of a list, a table, a choice.

import { folded, h, said } from './dom.js';
import * as f from './format.js';
import { plainOf, proseOf, readable } from './text.js';

// The address at which anything of any store is read.
export const itemAt = (store, kind, id) => `/item?ref=${encodeURIComponent(`${store}/${kind}/${id}`)}`;

export const when = (time) => (f.iso(time) ? h('time', { class: 'muted', datetime: f.iso(time), title: f.moment(time) }, f.ago(time)) : null);

export function state(words, good) {
  return h('span', { class: `state ${good ? 'good' : 'bad'}` }, said(words, 200));
}

export const foldedJson = (key, summary, value) => folded('part', summary, () => plainOf(readable(value)), key);

// A row of a list: what it is, what is known about it, and what can be done. `key` is its own in its part.
export function entry({ key, kind, title, href, time, text, meta = [], more = [], actions = [], here = false }) {
  const name = said(title, 200);
  return h('li', { class: `row entry ${here ? 'here' : ''}`, tabindex: '-1', 'data-key': key },
    h('div', { class: 'hit-head' },
      kind ? h('span', { class: 'role' }, said(kind, 40)) : null,
      href ? h('a', { class: 'entry-title', href }, name) : h('strong', { class: 'entry-title' }, name),
      time),
    text ? h('div', { class: 'entry-text' }, proseOf(text)) : null,
    meta.some(Boolean) ? h('p', { class: 'meta' }, meta.filter(Boolean).map((one) => (typeof one === 'string' ? said(one, 120) : one))) : null,
    more,
    actions.length ? h('div', { class: 'actions' }, actions) : null);
}

export const list = (entries) => h('ol', { class: 'rows' }, entries);

// The caption is for those who hear it, where a heading says the same.
export function table(caption, heads, rows, seen = false) {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, h('table', null,
    h('caption', seen ? null : { class: 'unseen' }, caption),
    h('thead', null, h('tr', null, heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', null, rows.map((cells) => h('tr', null, cells.map((cell, i) => h(i ? 'td' : 'th', i ? null : { scope: 'row' }, cell)))))));
}

export function choice(label, name, options, chosen, choose) {
  const select = h('select', { id: `choose-${name}`, onchange: () => choose(name, select.value) },
    options.map(([value, words]) => h('option', { value, selected: value === chosen }, words)));
  return h('label', { class: 'choice' }, h('span', null, label), select);
}

// Buttons of which several may be pressed; what is pressed is in the address.
export function toggles(label, name, options, view) {
  const chosen = () => view.page.params.getAll(name);
  const turn = (value) => { view.choose({ [name]: chosen().includes(value) ? chosen().filter((one) => one !== value) : [...chosen(), value] }); press(); };
  const buttons = options.map(([value, words]) => [value, h('button', { type: 'button', onclick: () => turn(value) }, words)]);
  const press = () => { for (const [value, button] of buttons) button.setAttribute('aria-pressed', String(chosen().includes(value))); };
  press();
  return h('div', { class: 'range', role: 'group', 'aria-label': label }, buttons.map(([, button]) => button));
}
