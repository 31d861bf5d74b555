// One message: who spoke, when, what; its reasoning and its tool calls folded, with their results inside.

import { clip, folded, h, said } from './dom.js';
import * as f from './format.js';
import { jsonLink } from './json.js';
import { plainOf, proseOf, readable } from './text.js';

// ---- What was said ----

function partOf(part) {
  if (typeof part === 'string') return proseOf(part);
  if (typeof part?.text === 'string' && (!part.type || /text$/.test(part.type))) return proseOf(part.text);
  return [folded('part', [said(part?.type ?? 'part', 60)], () => plainOf(readable(part)))];
}

function contentOf(content) {
  if (content === null || content === '') return [];
  if (typeof content === 'string') return proseOf(content);
  return Array.isArray(content) ? content.flatMap(partOf) : [folded('part', ['JSON'], () => plainOf(readable(content)))];
}

const textOf = (content) => (typeof content === 'string' ? content
  : Array.isArray(content) && content.every((part) => typeof part?.text === 'string') ? content.map((part) => part.text).join('\n')
    : readable(content));

// ---- Tool calls ----

const TELLING = ['command', 'cmd', 'file_path', 'pattern', 'path', 'query', 'url', 'description', 'prompt'];

// What a call is about, in one line.
function hintOf(args) {
  let values = args;
  if (typeof args === 'string') {
    try {
      values = JSON.parse(args);
    } catch {
      return clip(args, 120);
    }
  }
  if (!values || typeof values !== 'object') return clip(String(values ?? ''), 120);
  const telling = TELLING.find((name) => values[name]) ?? Object.keys(values)[0];
  const value = values[telling];
  return value === undefined ? '' : clip(Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : value, 120);
}

function callOf(call, results) {
  const name = call?.function?.name ?? call?.name ?? 'tool';
  const args = call?.function?.arguments ?? call?.arguments ?? call?.input ?? '';
  const id = call?.id ?? call?.call_id;
  const state = { result: null };
  const mark = h('span', { class: 'pending' }, 'no result yet');
  const place = h('div', { class: 'result' });
  const details = folded('tool', [h('code', { class: 'tool-name' }, clip(name, 60)), h('span', { class: 'tool-hint' }, said(hintOf(args), 120)), mark],
    () => [...plainOf(readable(args)), place]);
  const show = (message) => {
    state.result = message;
    mark.remove();
    details.id = `m${message.id}`;
    place.replaceChildren(h('p', { class: 'label' }, 'Result', h('time', { datetime: f.iso(message.timestamp) }, f.clock(message.timestamp)), jsonOf(message)), ...plainOf(textOf(message.content ?? '')));
  };
  if (typeof id === 'string') results.set(id, show);
  return details;
}

const callsOf = (message, results) => (Array.isArray(message.tool_calls) ? message.tool_calls : message.tool_calls ? [message.tool_calls] : [])
  .map((call) => callOf(call, results));

// ---- The message ----

function reasoningOf(message) {
  const text = message.reasoning || message.reasoning_content;
  const items = message.reasoning_details ?? message.codex_reasoning_items;
  if (text) return [folded('reasoning', ['Reasoning ', h('span', { class: 'tool-hint' }, said(text, 120))], () => proseOf(text))];
  return items ? [folded('reasoning', ['Reasoning'], () => plainOf(readable(items)))] : [];
}

const jsonOf = (message) => jsonLink('/v1/conversation/get_message', { message_id: message.id });

function headOf(message) {
  const name = message.role === 'tool' ? message.tool_name ?? 'tool' : message.role;
  return h('header', null, h('span', { class: 'who' }, said(name, 60)),
    h('a', { class: 'when', href: `#m${message.id}` }, h('time', { datetime: f.iso(message.timestamp), title: f.moment(message.timestamp) }, f.clock(message.timestamp) || `#${message.id}`)),
    message.token_count ? h('span', { class: 'tokens' }, `${f.number(message.token_count)} tokens`) : null,
    message.finish_reason && !['stop', 'end_turn', 'tool_use', 'tool_calls'].includes(message.finish_reason) ? h('span', { class: 'tokens' }, said(message.finish_reason, 40)) : null,
    jsonOf(message));
}

// What the request that ended with a message took, in the message's header.
export function spend(header, row) {
  const read = row.input_tokens + row.cache_read_tokens + row.cache_write_tokens;
  const words = [`${f.short(read)} tokens read`, `${f.short(row.output_tokens)} written`, row.cost_usd ? f.money(row.cost_usd) : ''];
  header?.querySelector('.spent')?.remove();
  header?.querySelector('.when')?.after(h('span', { class: 'spent' }, words.filter(Boolean).join(' · ')));
}

// The element of a message; null: it went into the call that it answers.
export function messageOf(message, results) {
  const answered = message.role === 'tool' && results.get(message.tool_call_id);
  if (answered) {
    answered(message);
    return null;
  }
  const kind = ['user', 'assistant', 'tool', 'system'].includes(message.role) ? message.role : 'other';
  const body = message.role === 'tool'
    ? [folded('tool', [h('code', { class: 'tool-name' }, clip(message.tool_name ?? 'tool', 60)), h('span', { class: 'tool-hint' }, said(textOf(message.content ?? ''), 120))],
      () => plainOf(textOf(message.content ?? '')))]
    : contentOf(message.content);
  return h('article', { id: `m${message.id}`, class: `message row ${kind}`, tabindex: '-1', 'aria-label': clip(`${message.role}, ${f.moment(message.timestamp)}`, 80) },
    headOf(message), h('div', { class: 'body' }, reasoningOf(message), body, callsOf(message, results)));
}
