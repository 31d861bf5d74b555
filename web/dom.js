// Elements, made one by one. What the stores hold only ever becomes the text of a node: nothing here or
// elsewhere turns a text into markup.

const INSIDE = /^(\/(?!\/)|#)/; // links lead into this page only

// What is not there is written as null or false where it stands.
const there = (children) => children.flat().filter((child) => child !== null && child !== undefined && child !== false);

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (key === 'href' && !INSIDE.test(value)) throw new Error('a link that leads elsewhere');
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...there(children));
  return element;
}

// h('a', {class: 'row', href: '/x', onclick: f}, 'text', node, [more], null)
export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

// The same for drawings.
export const svg = (name, attributes, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

export function replace(parent, ...children) {
  parent.replaceChildren(...there(children));
}

// The beginning of a text that stands in one line; the whole of it may be a megabyte.
export function clip(text, most = 160) {
  const line = String(text).slice(0, most * 4).replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

// A text of somebody, whatever direction it is written in, so that it does not disturb its neighbours.
export function said(text, most) {
  return h('bdi', null, clip(text, most));
}

// Folded: what is inside is made when it is opened. By its key it is known again when the view is drawn anew.
export function folded(kind, summary, make, key = null) {
  let made = false;
  const details = h('details', { class: kind, 'data-key': key, ontoggle: () => {
    if (made || !details.open) return;
    made = true;
    details.append(...make());
  } }, h('summary', null, summary));
  return details;
}

// ">>>" and "<<<" stand around what matched: <mark> it.
export function marked(snippet) {
  const parts = snippet.split(/(>>>[^]*?<<<)/);
  return parts.map((part) => (part.startsWith('>>>') && part.endsWith('<<<') ? h('mark', null, part.slice(3, -3)) : part));
}

// At most once per `wait` milliseconds, and once more at the end.
export function calmly(run, wait) {
  let timer = null;
  return () => {
    timer ??= setTimeout(() => { timer = null; run(); }, wait);
  };
}
