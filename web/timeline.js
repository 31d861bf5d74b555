// What happened, on one line: commands of shells, tools and segments of agents, pages that were read, runs of workflows.

import { get } from './api.js';
import { board } from './board.js';
import { clip, h, said } from './dom.js';
import { choice, entry, itemAt, state, toggles } from './entry.js';
import * as f from './format.js';
import { sinceText } from './range.js';
import { isThere } from './stores.js';

export const nav = '/timeline';

const PAGE = 60;
const KINDS = [['shell', 'Shell'], ['tool', 'Tools'], ['agent', 'Agents'], ['browser', 'Browser'], ['ci', 'CI']];
const SOURCES = { shell: 'event', tool: 'event', agent: 'segment', browser: 'visit', ci: 'run' }; // as recall names them
const GOOD = ['ok', 'success', 'completed'];

const eventOf = (one) => entry({
  key: `${one.kind} ${one.id}`,
  kind: one.kind,
  title: one.summary || one.source,
  href: itemAt('capture', SOURCES[one.kind], one.id),
  time: h('time', { class: 'muted', datetime: f.iso(one.time), title: f.moment(one.time) }, f.clock(one.time)),
  meta: [one.outcome && state(one.exit_code ? `${one.outcome}, ${one.exit_code}` : one.outcome, GOOD.includes(one.outcome)), one.source, (one.repo || one.cwd) && f.project(one.repo ?? one.cwd), one.branch,
    one.duration_ms ? f.duration(one.duration_ms / 1000) : null, one.url],
});

// A heading for every day.
function daysOf(rows) {
  const days = new Map();
  for (const row of rows) {
    const day = f.wholeDay(row.time);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days].map(([day, ones]) => h('section', { class: 'day' }, h('h3', null, day), h('ol', { class: 'rows' }, ones.map(eventOf))));
}

async function tools(view) {
  const { page } = view;
  const projects = await isThere('capture', page.signal) ? await get('/v1/capture/list_projects', {}, { signal: page.signal }) : [];
  const names = [...new Set([...projects.map((one) => one.project), page.params.get('project')].filter(Boolean))].slice(0, 200);
  return [toggles('Kinds', 'kind', KINDS, view),
    names.length ? choice('Project', 'project', [['', 'All projects'], ...names.map((one) => [one, clip(f.project(one), 60)])], page.params.get('project') ?? '', (name, value) => view.choose({ [name]: value })) : null];
}

export const open = board({
  title: 'Timeline',
  range: true,
  tools,
  parts: [{
    title: 'What happened',
    method: 'capture.timeline',
    page: PAGE,
    args: ({ params }) => ({ kinds: params.getAll('kind'), project: params.get('project'), since: sinceText(params.get('since') ?? '') }),
    none: 'Nothing was captured in this time. `stele setup` shows how shells, agents and browsers are connected.',
    draw: daysOf,
  }],
});
