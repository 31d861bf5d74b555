// The page: which view an address is, moving between them, what all of them share.

import * as api from './api.js';
import * as assistant from './assistant.js';
import { h, replace } from './dom.js';
import * as health from './health.js';
import * as item from './item.js';
import * as json from './json.js';
import { listenToKeys, showKeys } from './keys.js';
import * as knowledge from './knowledge.js';
import * as planner from './planner.js';
import * as recall from './recall.js';
import * as search from './search.js';
import * as session from './session.js';
import * as sessions from './sessions.js';
import * as telemetry from './telemetry.js';
import * as timeline from './timeline.js';
import { askForToken } from './token.js';

const main = document.getElementById('main');
const live = document.getElementById('live');
let leaving = new AbortController(); // aborted when the view is left
let shown = null; // its path and query

// A view is {nav, open(page)}: `nav` is the address of the entry that leads to it. The server knows the same addresses
// (src/serve/web.c).
const VIEWS = {
  '/': search,
  '/search': search,
  '/recall': recall,
  '/item': item,
  '/timeline': timeline,
  '/sessions': sessions,
  '/planner': planner,
  '/assistant': assistant,
  '/knowledge': knowledge,
  '/telemetry': telemetry,
  '/health': health,
  '/status': health,
  '/json': json,
};

function viewOf(path) {
  if (path.startsWith('/session/')) return session;
  return Object.hasOwn(VIEWS, path) ? VIEWS[path] : null;
}

// What a view works with.
function pageOf() {
  const params = new URLSearchParams(location.search);
  return {
    main,
    path: location.pathname,
    params,
    signal: leaving.signal,
    title(words) { document.title = words ? `${words} · Stele` : 'Stele'; },
    go,
    // Put other parameters into the address without a new entry in the history. In whatever order they were chosen, the
    // same choices have the same address.
    note(changes) {
      for (const [name, value] of Object.entries(changes)) {
        params.delete(name);
        for (const one of [value].flat()) if (one) params.append(name, one);
      }
      params.sort();
      const query = params.size ? `?${params}` : '';
      history.replaceState(history.state, '', location.pathname + query + location.hash);
      shown = location.pathname + location.search;
      carry();
    },
    // `come` is called when something came, or may have come while nobody listened.
    follow(session, come) {
      return api.follow(session, this.signal, { message: come, state(on) { showLive(on); if (on) come(); } });
    },
    live: showLive,
    fail: showFailure,
  };
}

function showLive(on) {
  live.hidden = false;
  live.classList.toggle('off', !on);
  live.textContent = on ? 'Live' : 'Reconnecting…';
}

// The time range is one for all views: links between them keep it.
function carry() {
  const since = new URLSearchParams(location.search).get('since');
  for (const link of document.querySelectorAll('header [data-nav]')) {
    const path = link.dataset.nav;
    link.setAttribute('href', since && path !== '/health' ? `${path}?since=${encodeURIComponent(since)}` : path);
  }
}

function showFailure(failure) {
  if (failure.name === 'AbortError') return;
  if (failure.status === 401 || failure.status === 403) {
    askForToken(main, failure, () => show());
    return;
  }
  const offline = failure instanceof TypeError;
  replace(main, h('section', { class: 'notice', role: 'alert' },
    h('h1', null, offline ? 'The server cannot be reached' : 'That did not work'),
    h('p', null, offline ? 'Is `stele serve` still running?' : failure.message),
    failure.hint ? h('p', { class: 'muted' }, failure.hint) : null,
    h('button', { type: 'button', onclick: () => show() }, 'Try again')));
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  shown = location.pathname + location.search;
  live.hidden = true;
  carry();
  const view = viewOf(location.pathname);
  for (const link of document.querySelectorAll('nav [data-nav]')) {
    if (link.dataset.nav !== view?.nav) {
      link.removeAttribute('aria-current');
      continue;
    }
    link.setAttribute('aria-current', 'page');
    link.parentElement.scrollLeft = link.offsetLeft - link.parentElement.clientWidth / 2; // on a phone they do not all have room
  }
  const page = pageOf();
  const { signal } = page;
  try {
    if (view) await view.open(page);
    else throw new Error(`There is no view at ${location.pathname}.`);
  } catch (failure) {
    if (!signal.aborted) showFailure(failure);
  }
}

function go(to, { replaceEntry = false } = {}) {
  history[replaceEntry ? 'replaceState' : 'pushState']({ inside: true }, '', to);
  window.scrollTo(0, 0);
  show();
}

// Links of ours change the view, not the page.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const to = new URL(link.getAttribute('href'), location.href);
  if (to.origin !== location.origin || !viewOf(to.pathname)) return;
  if (to.hash && to.pathname + to.search === location.pathname + location.search) return; // a place in this view
  event.preventDefault();
  go(to.pathname + to.search + to.hash);
});

// Back and forward; a change of the place in a view is the view's own matter.
addEventListener('popstate', () => {
  if (location.pathname + location.search !== shown) show();
});

const theme = document.getElementById('theme');
const other = () => (document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
const nameTheme = () => { theme.textContent = other() === 'dark' ? 'Dark' : 'Light'; };
theme.addEventListener('click', () => {
  localStorage.setItem('stele.theme', other());
  document.dispatchEvent(new Event('themechosen')); // theme.js applies it
});
document.addEventListener('themechange', nameTheme);
document.getElementById('keys').addEventListener('click', showKeys);

nameTheme();
listenToKeys({ go, toggleTheme: () => theme.click() });
api.takeToken();
show();
