// What was learned: nodes, what they speak about, how that belongs together, and what goes wrong again and again.

import { board } from './board.js';
import { h, said } from './dom.js';
import { choice, entry, foldedJson, itemAt, list, state, table, when } from './entry.js';
import * as f from './format.js';
import { graph } from './graph.js';
import { sinceText } from './range.js';

export const nav = '/knowledge';

const PAGE = 20;
const TYPES = ['project', 'file', 'tool', 'service', 'repo', 'host', 'person', 'concept', 'domain', 'env_var'];
const GOOD = ['success', null];

const wordsOf = (page) => (page.params.get('q') ?? '').trim();
const sinceOf = (page) => sinceText(page.params.get('since') ?? '');

// The address that shows an entity: its number, and its name for whoever reads it.
function entityAt(page, { id, name }) {
  const params = new URLSearchParams(page.params);
  params.set('entity', id);
  params.set('name', name);
  return `/knowledge?${params}`;
}

const listed = (json) => { try { return [JSON.parse(json ?? '[]')].flat().filter((one) => typeof one === 'string'); } catch { return []; } };

const nodeOf = (node) => entry({
  key: node.uuid,
  kind: node.node_type,
  title: node.summary,
  href: itemAt('capture', 'node', node.id),
  time: when(node.captured_at),
  meta: [node.outcome && state(node.outcome, GOOD.includes(node.outcome)), ...listed(node.tags).slice(0, 8), node.entities, node.matched && `has ${node.matched}`],
  more: [foldedJson(`content ${node.uuid}`, 'All of it', node.content)],
});

const entityRow = (page) => (one) => [h('a', { href: entityAt(page, one) }, said(one.name, 80)), one.type, f.number(one.nodes), f.ago(one.last_seen)];
const relatedRow = (page) => (one) => [h('a', { href: entityAt(page, one) }, said(one.name, 80)), one.type, one.relationship, f.number(one.evidence_count), f.ago(one.last_seen)];
const lessonRow = (one) => [h('a', { href: itemAt('capture', 'lesson', one.id) }, said(one.summary, 120)), said(one.repo, 60), f.number(one.occurrences), said(one.fix_hint ?? '–', 120), f.ago(one.last_seen_at)];

const relatedOf = (rows, { page }) => [
  graph(page.params.get('name') ?? '', rows.map((one) => ({ name: one.name, words: `${one.type}, ${f.many(one.evidence_count, 'node')}`, weight: one.evidence_count, href: entityAt(page, one) }))),
  table('Belongs together with', ['Entity', 'Type', 'How', 'Nodes', 'Last'], rows.map(relatedRow(page)))];

function tools(view) {
  const { page } = view;
  const name = page.params.get('name');
  return [
    choice('Entities', 'type', [['', 'All types'], ...TYPES.map((one) => [one, one])], page.params.get('type') ?? '', (which, value) => view.choose({ [which]: value })),
    name ? h('button', { type: 'button', onclick: () => page.go('/knowledge') }, 'About everything, not only ', said(name, 60)) : null];
}

export const open = board({
  title: 'Knowledge',
  ask: 'Search what was learned',
  range: true,
  tools,
  parts: [
    { title: 'Belongs together', method: 'capture.list_relationships', args: (page) => (page.params.get('entity') ? { entity_id: page.params.get('entity'), limit: 24 } : null),
      none: 'It was never met together with anything else.', draw: relatedOf },
    { title: 'Nodes', method: 'capture.search_knowledge', page: PAGE, none: 'Nothing was learned that is like that.',
      args: (page) => ({ query: wordsOf(page), mode: wordsOf(page) ? 'lexical' : 'recent', entity: page.params.get('name'), since: sinceOf(page) }), draw: (rows) => list(rows.map(nodeOf)) },
    { title: 'Entities', method: 'capture.get_entities', page: PAGE, args: (page) => ({ type: page.params.get('type'), since: sinceOf(page) }), none: 'No entity was seen in this time.',
      draw: (rows, { page }) => table('Entities', ['Entity', 'Type', 'Nodes', 'Last seen'], rows.map(entityRow(page))) },
    { title: 'Lessons', method: 'capture.get_lessons', page: PAGE, args: () => ({}), none: 'Nothing went wrong more than once.',
      draw: (rows) => table('Lessons', ['Lesson', 'Repository', 'Met', 'How it is mended', 'Last'], rows.map(lessonRow)) },
  ],
});
