// The planner: plans and what became of them, what is held to be true, what is to be judged, what is open.

import { get } from './api.js';
import { board } from './board.js';
import { clip, h, said } from './dom.js';
import { choice, entry, itemAt, list, state, when } from './entry.js';
import * as f from './format.js';
import { isThere } from './stores.js';
import { plainOf } from './text.js';

export const nav = '/planner';

const PAGE = 50;
const TASKS = 1000; // of a session, to be put below its plans
const CATEGORIES = ['general', 'project', 'tool', 'user'];

// ---- Plans, as trees: a plan, its tasks, and below it the one that replaced it ----

function taskOf(task) {
  const said_ = task.output || task.stderr;
  return h('li', { class: 'leaf' }, h('div', { class: 'hit-head' }, h('span', { class: 'role' }, said(task.type, 20)),
    h('a', { class: 'entry-title', href: itemAt('planner', 'task', task.id) }, said(task.detail, 200)), state(task.substatus ? `${task.status}, ${task.substatus}` : task.status, task.status !== 'failed')),
  task.expect ? h('p', { class: 'meta' }, said(`expects ${task.expect}`, 200)) : null,
  said_ ? h('details', { class: 'part', 'data-key': `task ${task.id}` }, h('summary', null, said(clip(said_, 80))), plainOf([task.output, task.stderr].filter(Boolean).join('\n'))) : null);
}

function planOf(plan, plans, tasks) {
  const replaced = plans.filter((one) => one.parent_id === plan.id);
  return h('li', { class: 'row branch', tabindex: '-1', 'data-key': `plan ${plan.id}` },
    h('div', { class: 'hit-head' }, h('a', { class: 'entry-title', href: itemAt('planner', 'plan', plan.id) }, said(plan.goal, 200)), state(plan.status, plan.status !== 'failed'), when(plan.created_at)),
    h('ol', { class: 'tree', 'aria-label': 'Tasks' }, tasks.filter((task) => task.plan_id === plan.id).map(taskOf)),
    replaced.length ? h('ol', { class: 'tree', 'aria-label': 'Replaced by' }, replaced.map((one) => planOf(one, plans, tasks))) : null);
}

function forestOf(plans, tasks) {
  const known = new Set(plans.map((plan) => plan.id));
  return h('ol', { class: 'rows' }, plans.filter((plan) => !known.has(plan.parent_id)).reverse().map((plan) => planOf(plan, plans, tasks)));
}

// ---- Facts, learnings, what is open ----

const factOf = (fact) => entry({
  key: `fact ${fact.id}`,
  kind: fact.category,
  title: fact.content,
  href: itemAt('planner', fact.category === 'user' ? 'user_fact' : 'fact', fact.id),
  time: when(fact.created_at),
  meta: [h('meter', { min: 0, max: 1, value: fact.confidence ?? 0, 'aria-label': 'Confidence' }), `${Math.round((fact.confidence ?? 0) * 100)} % sure`, fact.source, fact.session,
    fact.use_count ? `used ${f.many(fact.use_count, 'time')}` : null],
});

function learningOf(one, view) {
  const select = h('select', { 'aria-label': 'Category' }, CATEGORIES.map((name) => h('option', { value: name }, name)));
  const act = (label, method, args, done, primary) => view.action({ label, key: `learning ${one.id}`, method, args, done: `${done}: ${clip(one.content, 80)}`, primary });
  return entry({
    key: `learning ${one.id}`,
    title: one.content,
    href: itemAt('planner', 'learning', one.id),
    time: when(one.created_at),
    meta: [one.session, one.user],
    actions: [select, act('Promote', 'planner.promote_learning', () => ({ id: one.id, category: select.value, link: true }), 'It is a fact now', true),
      act('Discard', 'planner.update_learning', { id: one.id, status: 'discarded' }, 'Discarded')],
  });
}

const openOf = (one, view) => entry({
  key: `open ${one.id}`,
  title: one.content,
  href: itemAt('planner', 'pending', one.id),
  time: when(one.created_at),
  meta: [one.scope, one.source],
  actions: [view.action({ label: 'Resolve', key: `open ${one.id}`, method: 'planner.resolve_pending', args: { id: one.id }, done: `No longer open: ${clip(one.content, 80)}` })],
});

// ---- The view ----

const sessionOf = (page) => page.params.get('session') ?? '';

// Without a choice, the session in which something happened last.
async function tools(view) {
  const { page } = view;
  const sessions = await isThere('planner', page.signal) ? await get('/v1/planner/get_all_sessions', { limit: 200 }, { signal: page.signal }) : [];
  const options = sessions.map((one) => [one.session, clip(one.description ?? one.session, 60)]);
  if (!sessionOf(page) && sessions.length) view.choose({ session: sessions[0].session });
  return options.length ? [choice('Session', 'session', options, sessionOf(page), (name, value) => view.choose({ [name]: value }))] : [];
}

const ofSession = (page) => (sessionOf(page) ? { session: sessionOf(page) } : null);

export const open = board({
  title: 'Planner',
  tools,
  parts: [
    { title: 'Learnings to judge', method: 'planner.get_pending_learnings', page: PAGE, args: () => ({}), none: 'Nothing is to be judged.', draw: (rows, view) => list(rows.map((one) => learningOf(one, view))) },
    { title: 'Open', method: 'planner.get_pending_items', page: PAGE, args: (page) => ({ session: sessionOf(page) || 'global' }), none: 'Nothing is open.', draw: (rows, view) => list(rows.map((one) => openOf(one, view))) },
    { title: 'Plans', method: 'planner.get_plans', page: PAGE, args: ofSession, none: 'This session has no plans.', also: { method: 'planner.get_tasks_for_session', args: (page) => ({ session: sessionOf(page), limit: TASKS }) },
      draw: (plans, view, tasks) => forestOf(plans, tasks) },
    { title: 'Facts', method: 'planner.get_facts', page: PAGE, args: (page) => ({ is_admin: true, ...ofSession(page) }), none: 'Nothing is held to be true yet.', draw: (rows) => list(rows.map(factOf)) },
  ],
});
