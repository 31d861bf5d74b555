// The keyboard. Rows of a list and messages of a session are elements with the class `row`: moving moves the
// focus, so that Enter opens what the browser shows as chosen.

import { h } from './dom.js';

const KEYS = [
  ['/', 'search'],
  ['j  k  ↓  ↑', 'next, previous'],
  ['Enter', 'open'],
  ['o', 'unfold what is chosen'],
  ['Esc', 'back'],
  ['g h', 'go to search'],
  ['g r', 'go to recall'],
  ['g l', 'go to the timeline'],
  ['g s', 'go to sessions'],
  ['g p', 'go to the planner'],
  ['g a', 'go to the assistant'],
  ['g k', 'go to knowledge'],
  ['g m', 'go to telemetry'],
  ['g t', 'go to health'],
  ['d', 'dark or light'],
  ['?', 'these keys'],
];

const rows = () => [...document.querySelectorAll('main .row')].filter((row) => row.checkVisibility());

function move(step) {
  const all = rows();
  const at = all.indexOf(document.activeElement?.closest('.row'));
  if (at < 0 && step < 0) return false;
  const next = at < 0 ? firstInSight(all) : all[at + step];
  if (!next && at === 0 && step < 0) return focusSearch();
  if (!next) return false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

function firstInSight(all) {
  return all.find((row) => row.getBoundingClientRect().top >= 0) ?? all[0];
}

function focusSearch() {
  const field = document.querySelector('main input[type=search]');
  field?.focus();
  field?.select();
  return Boolean(field);
}

// A row that is a link opens by itself; of another, what it leads to.
function openRow(row) {
  if (!row?.matches('.row:not(a)')) return false;
  const inside = row.querySelector('a[href], summary');
  inside?.click();
  return Boolean(inside);
}

export function showKeys() {
  if (document.querySelector('dialog[open]')) return;
  const close = () => dialog.close();
  const dialog = h('dialog', { class: 'keys', 'aria-labelledby': 'keys-title', onclose: () => dialog.remove() },
    h('h2', { id: 'keys-title' }, 'Keys'),
    h('dl', null, KEYS.map(([key, does]) => h('div', null, h('dt', null, h('kbd', null, key)), h('dd', null, does)))),
    h('button', { type: 'button', onclick: close }, 'Close'));
  document.body.append(dialog);
  dialog.showModal();
}

function back(go) {
  if (history.state?.inside) history.back();
  else if (location.pathname !== '/') go('/');
}

// g and a second key within a second.
const PLACES = {
  h: '/', r: '/recall', l: '/timeline', s: '/sessions', p: '/planner', a: '/assistant', k: '/knowledge', m: '/telemetry', t: '/health', '/': '/',
};

export function listenToKeys({ go, toggleTheme }) {
  let waiting = 0;
  const plain = {
    '/': (go_) => focusSearch() || go_('/'),
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => document.activeElement?.closest('.row') && move(1),
    ArrowUp: () => document.activeElement?.closest('.row') && move(-1),
    Enter: () => openRow(document.activeElement),
    o: () => document.activeElement?.closest('.row')?.querySelector('summary')?.click(),
    d: toggleTheme,
    '?': showKeys,
    Escape: back,
  };
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest?.('input, select, textarea');
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    let done = false;
    if (typing) {
      if (event.key === 'Escape') { typing.blur(); done = true; }
      else if (event.key === 'ArrowDown' && typing.type === 'search') done = move(1);
    } else if (Date.now() - waiting < 1000 && event.key in PLACES) {
      waiting = 0;
      go(PLACES[event.key]);
      done = true;
    } else if (event.key === 'g') {
      waiting = Date.now();
      done = true;
    } else if (event.key in plain) {
      done = plain[event.key](go) !== false;
    }
    if (done) event.preventDefault();
  });
}
