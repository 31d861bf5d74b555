// Searching as one types, with facets beside the results; without a query, what was done lately.

import { get } from './api.js';
import { calmly, h, marked, replace, said } from './dom.js';
import * as f from './format.js';
import { jsonLink } from './json.js';
import { RANGES, rangePicker, since } from './range.js';
import { sessionRow, showRows } from './row.js';

export const nav = '/';

const PAGE = 30;
const COUNTED = 2000; // matches that the facets count,
const COUNTED_TYPING = 500; // and while one is typing
const FACETS = [['source', 'Source'], ['role', 'Role'], ['project', 'Project']];

// While a word is being typed, its beginning is looked for.
export function asTyped(text) {
  const whole = !/[\p{L}\p{N}_]$/u.test(text) || /(^|\s)(OR|NOT|AND)$/.test(text) || (text.split('"').length - 1) % 2 === 1;
  return whole ? text : `${text}*`;
}

function filters(params) {
  return {
    source_filter: params.getAll('source'),
    role_filter: params.getAll('role'),
    project_filter: params.getAll('project'),
    since: since(params.get('since') ?? ''),
  };
}

// ---- Results ----

function hitRow(hit) {
  const place = `/session/${encodeURIComponent(hit.session_id)}#m${hit.id}`;
  return h('li', null, h('a', { class: 'row hit', href: place },
    h('span', { class: 'hit-head' },
      h('span', { class: `role ${hit.role === 'user' ? 'user' : ''}` }, said(hit.tool_name ?? hit.role, 40)),
      h('strong', { class: 'hit-title' }, said(hit.title ?? 'Untitled session', 100)),
      h('time', { class: 'muted', datetime: f.iso(hit.timestamp) }, f.ago(hit.timestamp))),
    h('span', { class: 'snippet', dir: 'auto' }, marked(hit.snippet)),
    h('span', { class: 'meta' }, said(hit.source, 40), hit.project ? said(f.project(hit.project), 60) : null,
      hit.model ? said(hit.model, 60) : null)));
}

class Search {
  constructor(page) {
    this.page = page;
    this.params = page.params;
    this.field = h('input', {
      type: 'search', id: 'q', placeholder: 'What did we do about…', autocomplete: 'off', spellcheck: 'false',
      'aria-label': 'Search conversations', oninput: () => this.typed(),
    });
    this.field.value = this.params.get('q') ?? '';
    this.note = h('p', { class: 'found', role: 'status' });
    this.facets = h('aside', { class: 'facets', 'aria-label': 'Filters' });
    this.list = h('ol', { class: 'rows hits' });
    this.more = h('div', { class: 'more' });
    this.json = h('span');
    this.timer = null;
    this.pressed = new Map(); // of each facet's button: whether it is chosen
    this.asking = new AbortController();
    page.signal.addEventListener('abort', () => { clearTimeout(this.timer); this.asking.abort(); });
  }

  draw() {
    replace(this.page.main, h('section', { class: 'search' },
      h('h1', { class: 'unseen' }, 'Search'),
      h('form', { class: 'ask', role: 'search', onsubmit: (event) => { event.preventDefault(); this.run(true); } }, this.field),
      h('div', { class: 'under' }, this.note, this.json),
      h('div', { class: 'columns' }, this.facets, h('div', { class: 'results' }, this.list, this.more))));
    this.field.focus();
  }

  // Every key asks anew a moment later; an answer that is no longer wanted is dropped.
  typed() {
    clearTimeout(this.timer);
    this.list.setAttribute('aria-busy', 'true');
    this.page.note({ q: this.field.value });
    this.timer = setTimeout(() => this.run(false), 90);
  }

  choose(name, value) {
    const chosen = this.params.getAll(name);
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    this.page.note({ [name]: name === 'since' ? value : next });
    this.press();
    this.run(true);
  }

  // Something is new: what was found stays as it is, what was done lately does not.
  came() {
    if (!this.field.value.trim() && !this.page.signal.aborted) this.run(true);
  }

  async run(finished) {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const text = this.field.value.trim();
    this.page.title(text);
    this.list.setAttribute('aria-busy', 'true');
    try {
      if (text) await this.find(text, finished, signal);
      else await this.recent(signal);
    } catch (failure) {
      if (!signal.aborted) this.page.fail(failure);
    }
  }

  async find(text, finished, signal) {
    const chosen = filters(this.params);
    const remarks = [];
    const note = (words) => remarks.push(words);
    let query = finished ? { query: text, ...chosen } : { query: asTyped(text), quick: true, ...chosen };
    const began = performance.now();
    let found = await get('/v1/search', { ...query, limit: PAGE }, { signal, note });
    if (!finished && !found.items.length) { // whole, and inside of words
      query = { query: text, ...chosen };
      found = await get('/v1/search', { ...query, limit: PAGE }, { signal, note });
    }
    const took = Math.max(1, Math.round(performance.now() - began));
    this.show(found.items.map(hitRow));
    this.offerMore(query, found.next, signal);
    this.note.textContent = found.items.length ? `Found in ${took} ms` : 'Nothing has these words. Fewer letters or filters may find more.';
    replace(this.json, jsonLink('/v1/search', query));
    const most = query.quick ? COUNTED_TYPING : COUNTED;
    const counts = await get('/v1/search/facets', { ...query, most, now: Date.now() / 1000 }, { signal });
    this.showFacets(counts);
    const all = counts.find((row) => row.facet === 'all').matches;
    const many = all >= most ? `More than ${f.number(most)} messages` : f.many(all, 'message');
    if (found.items.length) this.note.textContent = [many, `${took} ms`, ...remarks].join(' · ');
  }

  show(rows) {
    showRows(this.list, rows, this.field);
    this.list.setAttribute('aria-busy', 'false');
  }

  offerMore(query, next, signal) {
    replace(this.more, next && h('button', { type: 'button', onclick: async () => {
      try {
        const found = await get('/v1/search', { ...query, limit: PAGE, cursor: next }, { signal });
        this.list.append(...found.items.map(hitRow));
        this.offerMore(query, found.next, signal);
      } catch (failure) {
        if (!signal.aborted) this.page.fail(failure);
      }
    } }, 'Show more'));
  }

  showFacets(counts) {
    const focused = document.activeElement?.dataset?.facet;
    this.pressed.clear();
    const groups = FACETS.map(([name, label]) => {
      const rows = counts.filter((row) => row.facet === name).slice(0, 12);
      return rows.length ? h('div', { role: 'group', 'aria-label': label }, h('h2', null, label),
        rows.map((row) => this.facet(name, row.value, name === 'project' ? f.project(row.value) : row.value, row.matches))) : null;
    });
    const ages = new Map(counts.filter((row) => row.facet === 'age').map((row) => [Number(row.value), row.matches]));
    const times = RANGES.filter(([, , seconds]) => seconds === 0 || ages.has(seconds));
    groups.push(h('div', { role: 'group', 'aria-label': 'Time' }, h('h2', null, 'Time'),
      times.map(([name, words, seconds]) => this.facet('since', name, words, ages.get(seconds) ?? null))));
    replace(this.facets, groups);
    this.press();
    if (focused) [...this.facets.querySelectorAll('button')].find((one) => one.dataset.facet === focused)?.focus();
  }

  facet(name, value, label, count) {
    const button = h('button', { type: 'button', class: 'facet', 'data-facet': `${name} ${value.slice(0, 200)}`,
      title: value.slice(0, 300), onclick: () => this.choose(name, value) },
    said(label, 60), count === null ? null : h('span', { class: 'count' }, f.number(count)));
    this.pressed.set(button, () => (name === 'since' ? (this.params.get('since') ?? '') === value : this.params.getAll(name).includes(value)));
    return button;
  }

  // What is chosen is shown at once; the counts follow.
  press() {
    for (const [button, chosen] of this.pressed) button.setAttribute('aria-pressed', String(chosen()));
  }

  async recent(signal) {
    const range = this.params.get('since') ?? '';
    const query = { since: since(range), limit: 12 };
    const found = await get('/v1/find/sessions', query, { signal });
    this.show(found.items.length ? found.items.map(sessionRow) : [welcome(range)]);
    replace(this.more, found.items.length ? h('a', { class: 'quiet', href: '/sessions' }, 'All sessions') : null);
    replace(this.json, jsonLink('/v1/find/sessions', query));
    this.note.textContent = found.items.length ? 'Lately' : '';
    replace(this.facets, h('div', null, h('h2', null, 'Time'), rangePicker(range, (name) => this.choose('since', name))));
  }
}

function welcome(range) {
  return h('li', { class: 'notice' }, h('h2', null, range ? 'Nothing in this time' : 'Nothing here yet'),
    h('p', null, 'Take in what your coding agents did on this machine:'),
    h('pre', null, h('code', null, 'stele import')));
}

export async function open(page) {
  const search = new Search(page);
  page.title(page.params.get('q') ?? '');
  search.draw();
  await search.run(true);
  page.follow(undefined, calmly(() => search.came(), 1000));
}
