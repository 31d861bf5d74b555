// The JSON behind a view: every view links to its twin, and this shows it with the line that fetches it.

import { address, text } from './api.js';
import { h, replace } from './dom.js';

export const nav = '';

// A link to the JSON of an address of the server.
export function jsonLink(path, params, label = 'JSON') {
  return h('a', { class: 'quiet', href: address('/json', { of: address(path, params) }) }, label);
}

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body; // numbers beyond what JavaScript counts, or no JSON at all: as it came
  }
}

export async function open(page) {
  const of = page.params.get('of') ?? '';
  page.title('JSON');
  if (!of.startsWith('/v1/')) throw new Error('JSON is at addresses that begin with /v1/.');
  const body = await text(of, { signal: page.signal });
  const copy = h('button', { type: 'button', onclick: async () => {
    await navigator.clipboard.writeText(body);
    copy.textContent = 'Copied';
  } }, 'Copy');
  const quoted = `'${(location.origin + of).replaceAll("'", '%27')}'`;
  replace(page.main, h('section', { class: 'json' },
    h('header', { class: 'head' }, h('h1', null, 'JSON'), copy),
    h('pre', { class: 'curl', tabindex: '0', 'aria-label': 'Command' }, h('code', null, `curl -H "Authorization: Bearer $TOKEN" ${quoted}`)),
    h('pre', { class: 'body', tabindex: '0', 'aria-label': 'JSON' }, h('code', null, pretty(body)))));
}
