// The assistant: what waits for the user's word, and what it keeps for them.

import { board } from './board.js';
import { h, said } from './dom.js';
import { entry, foldedJson, itemAt, list, state, when } from './entry.js';
import * as f from './format.js';
import { sinceText } from './range.js';

export const nav = '/assistant';

const PAGE = 20;

// The server confirms an action once: a second click, here or in another tab, is told that it is decided.
function approvalOf(action, view) {
  const act = (label, method, done, primary) => view.action({ label, key: action.id, method, args: { id: action.id }, done: `${done}: ${action.preview_text}`, primary });
  return entry({
    key: action.id,
    kind: action.action_type,
    title: action.preview_text || action.tool_name,
    time: when(action.created_at),
    meta: [action.tool_name, action.chat_id, action.original_user_message && `“${action.original_user_message}”`, `until ${f.moment(action.expires_at)}`],
    more: [foldedJson(`payload ${action.id}`, 'What the tool gets', action.payload)],
    actions: action.status === 'pending' ? [act('Confirm', 'assistant.claim_pending_action', 'Confirmed', true), act('Cancel', 'assistant.cancel_pending_action', 'Cancelled')] : [],
  });
}

function taskOf(task, view) {
  return entry({
    key: task.id,
    title: task.title,
    href: itemAt('assistant', 'task', task.id),
    time: when(task.created_at),
    meta: [task.status === 'done' ? state('done', true) : task.status, task.due_date && `due ${task.due_date}`],
    actions: task.status === 'done' ? [] : [view.action({ label: 'Done', key: task.id, method: 'assistant.complete_task', args: { id: task.id }, done: `Done: ${task.title}` })],
  });
}

function reminderOf(one, view) {
  return entry({
    key: one.id,
    title: one.message,
    href: itemAt('assistant', 'reminder', one.id),
    time: h('time', { class: 'muted', datetime: f.iso(one.remind_at) }, f.moment(one.remind_at)),
    meta: [one.status, one.channel, one.user_id],
    actions: one.status === 'pending' ? [view.action({ label: 'Cancel', key: one.id, method: 'assistant.cancel_reminder', args: { id: one.id }, done: `Cancelled: ${one.message}` })] : [],
  });
}

function scheduleOf(one, view) {
  return entry({
    key: one.id,
    title: one.name,
    href: itemAt('assistant', 'schedule', one.id),
    text: one.prompt,
    meta: [h('code', null, said(one.cron_expression, 60)), one.timezone, one.problem ? state(one.problem, false) : one.next_run ? `next ${f.moment(one.next_run)}` : 'at rest',
      one.last_run && `last ${f.moment(one.last_run)}`],
    actions: [view.action({ label: one.enabled ? 'Rest' : 'Resume', key: one.id, method: 'assistant.update_scheduled_task', args: { id: one.id, enabled: !one.enabled }, done: `${one.enabled ? 'At rest' : 'Resumed'}: ${one.name}` })],
  });
}

// What was written within the time range; the newest come first, so those are the beginning of a list.
const lately = (page, rows) => { const from = f.seconds(sinceText(page.params.get('since') ?? '') ?? 0); return rows.filter((row) => f.seconds(row.created_at) >= from); };

const part = (title, method, none, draw, args) => ({
  title, method, none, page: PAGE, args,
  draw: (rows, view) => { const shown = lately(view.page, rows); return shown.length ? list(shown.map((row) => draw(row, view))) : h('p', { class: 'none' }, 'Nothing in this time.'); },
});

const noteOf = (note) => entry({ key: note.id, title: note.title, href: itemAt('assistant', 'note', note.id), time: when(note.created_at), text: note.content });

export const open = board({
  title: 'Assistant',
  range: true,
  parts: [
    { title: 'Approvals', method: 'assistant.list_pending_actions', page: PAGE, none: 'Nothing waits for your word.', draw: (rows, view) => list(rows.map((row) => approvalOf(row, view))) },
    part('Tasks', 'assistant.list_tasks', 'Nothing is to be done.', taskOf),
    part('Reminders', 'assistant.list_reminders', 'Nothing to be reminded of.', reminderOf),
    { title: 'Schedules', method: 'assistant.list_scheduled_tasks', none: 'Nothing is run at set times.', draw: (rows, view) => list(rows.map((row) => scheduleOf(row, view))) },
    part('Notes', 'assistant.get_notes', 'No notes.', noteOf),
  ],
});
