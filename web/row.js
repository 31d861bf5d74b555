// A session in a list.

import { h, replace, said } from './dom.js';
import * as f from './format.js';

export function sessionName(session) {
  return session.title || session.preview || 'Untitled session';
}

export function sessionRow(session) {
  const tokens = session.input_tokens + session.output_tokens;
  return h('li', null, h('a', { class: 'row session', href: `/session/${encodeURIComponent(session.id)}` },
    h('span', { class: 'what' },
      h('strong', null, said(sessionName(session), 120)),
      h('span', { class: 'meta' }, said(session.source, 40), session.project ? said(f.project(session.project), 60) : null,
        session.branch ? said(session.branch, 40) : null, session.model ? said(session.model, 60) : null)),
    h('time', { class: 'muted', datetime: f.iso(session.last_active), title: f.moment(session.last_active) }, f.ago(session.last_active)),
    h('span', { class: 'figures' },
      h('span', null, f.many(session.message_count, 'message')),
      tokens ? h('span', null, `${f.short(tokens)} tokens`) : null,
      session.cost_usd ? h('span', null, f.money(session.cost_usd)) : null)));
}

// Show rows anew; the one that has the focus keeps it, or gives it to another element when it has gone.
export function showRows(list, rows, instead = null) {
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  replace(list, rows);
  if (focused) ([...list.querySelectorAll('a')].find((row) => row.getAttribute('href') === focused) ?? instead)?.focus({ preventScroll: true });
}
