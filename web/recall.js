// Searching all stores at once: what was found, and why.

import { get } from './api.js';
import { board } from './board.js';
import { clip, folded, h, marked, said } from './dom.js';
import { choice, itemAt, list, when } from './entry.js';
import * as f from './format.js';
import { sinceText } from './range.js';
import { asTyped } from './search.js';
import { isThere } from './stores.js';

export const nav = '/recall';

const PAGE = 30;
const ROLES = ['user', 'assistant', 'tool', 'system'];

// ---- Why this hit ----

const digits = (value) => (typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value));
const found = (part, words) => (part === null || part === undefined ? 'not found by it' : words(part));

// What the score is made of, as recall.search tells it.
function reasonsOf(hit) {
  const { words, meaning, favour, recency } = hit.parts ?? {};
  const parts = [
    ['Words', found(words, (one) => `place ${one.rank}, score ${digits(one.score)}${one.near ? `, of it ${digits(one.near)} for what stands near` : ''}`)],
    ['Meaning', found(meaning, (one) => `place ${one.rank}, similarity ${digits(one.similarity)}`)],
    ['Favour', digits(favour ?? 1)], ['Recency', digits(recency ?? 1)], ['Score', digits(hit.score)]];
  return h('dl', { class: 'reasons' }, parts.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))));
}

// ---- Hits ----

const refOf = (ref) => { const [store, kind, ...id] = ref.split('/'); return itemAt(store, kind, id.join('/')); };

function hitRow(hit) {
  return h('li', { class: 'row entry hit', tabindex: '-1', 'data-key': hit.ref },
    h('div', { class: 'hit-head' }, h('span', { class: 'role' }, said(`${hit.store} ${hit.kind}`, 40)),
      h('a', { class: 'entry-title', href: refOf(hit.ref) }, said(hit.title || clip(hit.snippet.replace(/>>>|<<</g, ''), 80) || hit.ref, 100)), when(hit.time)),
    h('span', { class: 'snippet', dir: 'auto' }, marked(hit.snippet)),
    h('p', { class: 'meta' }, hit.role ? said(hit.role, 40) : null, hit.project ? said(f.project(hit.project), 60) : null, hit.mark ? said(hit.mark, 20) : null),
    folded('part', ['Why: ', said(hit.why, 160)], () => [reasonsOf(hit)], `why ${hit.ref}`));
}

async function tools(view) {
  const { page } = view;
  const { signal } = page;
  const projects = async () => (await isThere('conversation', signal) ? get('/v1/find/facets', {}, { signal }) : []);
  const [sources, facets] = await Promise.all([get('/v1/recall/sources', {}, { signal }), projects()]);
  const chosen = (name) => page.params.get(name) ?? '';
  const select = (label, name, all, values) => choice(label, name, [['', all], ...[...new Set([...values, chosen(name)])].filter(Boolean).map((one) => [one, clip(one, 60)])],
    chosen(name), (which, value) => view.choose({ [which]: value }));
  return [
    select('Store', 'store', 'All stores', sources.map((one) => one.store)),
    select('Kind', 'kind', 'All kinds', sources.filter((one) => !one.mark).map((one) => one.kind)),
    select('Role', 'role', 'All roles', ROLES),
    select('Project', 'project', 'All projects', facets.filter((one) => one.facet === 'project').slice(0, 200).map((one) => one.value))];
}

export const open = board({
  title: 'Recall',
  ask: 'Search everything: messages, commands, pages, notes, plans…',
  range: true,
  tools,
  parts: [{
    title: 'Found',
    method: 'recall.search',
    still: true,
    page: PAGE,
    none: 'Nothing in any store is like that. Fewer words or filters may find more.',
    args: ({ params }, { typing }) => {
      const text = (params.get('q') ?? '').trim();
      return text ? { query: typing ? asTyped(text) : text, stores: params.getAll('store'), kinds: params.getAll('kind'), roles: params.getAll('role'),
        projects: params.getAll('project'), since: sinceText(params.get('since') ?? '') } : null;
    },
    draw: (hits) => list(hits.map(hitRow)),
  }, {
    title: 'Lately, in all stores',
    method: 'recall.timeline',
    args: ({ params }) => ((params.get('q') ?? '').trim() ? null : { stores: params.getAll('store'), kinds: params.getAll('kind'), roles: params.getAll('role'),
      projects: params.getAll('project'), before: PAGE, after: 0 }),
    none: 'Nothing is in the stores yet.',
    draw: (rows) => list(rows.reverse().map(eventRow)),
  }],
});

// Something that happened, as recall.timeline tells it.
export function eventRow(row) {
  return h('li', { class: `row entry ${row.here ? 'here' : ''}`, tabindex: '-1', 'data-key': row.ref, 'aria-current': row.here ? 'true' : null },
    h('div', { class: 'hit-head' }, h('span', { class: 'role' }, said(`${row.store} ${row.kind}`, 40)),
      h('a', { class: 'entry-title', href: refOf(row.ref) }, said(row.title || row.snippet || row.ref, 120)), when(row.time)),
    row.title && row.snippet ? h('span', { class: 'snippet', dir: 'auto' }, row.snippet) : null,
    h('p', { class: 'meta' }, row.role ? said(row.role, 40) : null, row.project ? said(f.project(row.project), 60) : null));
}
