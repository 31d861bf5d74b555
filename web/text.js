// The text of a message: paragraphs as they were written, code in backticks as code. Nothing else is interpreted.

import { h } from './dom.js';

const MOST = 20000; // characters shown at once; the rest when asked for

// [{code: false, text}, {code: true, language, text}, …]
export function blocks(text) {
  const found = [];
  let lines = [];
  let fence = null;
  const end = (code, language) => {
    if (lines.length && (code || lines.join('').trim())) found.push({ code, language, text: lines.join('\n') });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const mark = /^\s{0,3}(```+|~~~+)\s*([\w+#.-]*)\s*$/.exec(line);
    if (!fence && mark) {
      end(false);
      fence = { mark: mark[1], language: mark[2] };
    } else if (fence && mark && mark[1].startsWith(fence.mark) && !mark[2]) {
      end(true, fence.language);
      fence = null;
    } else {
      lines.push(line);
    }
  }
  end(Boolean(fence), fence?.language);
  return found;
}

// `names` in a line are code too.
function inline(text) {
  return text.split(/(`[^`\n]+`)/).map((part, i) => (i % 2 ? h('code', null, part.slice(1, -1)) : part));
}

function draw(block) {
  if (!block.code) return h('div', { class: 'prose', dir: 'auto' }, inline(block.text.replace(/^\n+|\s+$/g, '')));
  return codeOf(block.text, block.language);
}

export function codeOf(text, language) {
  return h('pre', { class: 'code', tabindex: '0', 'aria-label': language ? `Code, ${language}` : 'Code', 'data-language': language || null },
    h('code', null, text));
}

// Long texts are begun only.
function begun(text, make) {
  if (text.length <= MOST) return make(text);
  const whole = h('div', null);
  const rest = h('button', { type: 'button', class: 'rest', onclick: () => whole.replaceChildren(...make(text)) },
    `Show all ${Math.round(text.length / 1000)} thousand characters`);
  whole.append(...make(text.slice(0, MOST)), rest);
  return [whole];
}

export const proseOf = (text) => begun(text, (some) => blocks(some).map(draw));
export const plainOf = (text) => begun(text, (some) => [codeOf(some)]);

// JSON, or a text that may be some, to read.
export function readable(value) {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
