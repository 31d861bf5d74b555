// A view made of parts. A part is {title, method, args, draw, none}: the method of the registry that feeds it, its
// arguments as the address tells them (null: the part is not shown), what an answer looks like, and what is said when
// there is nothing. With `page` a part shows so many, and more when asked; with `still` it is not looked at again by itself;
// `also` names a second method, with its arguments, whose answer `draw` is given besides.

import { get, post } from './api.js';
import { h, replace } from './dom.js';
import { jsonLink } from './json.js';
import { rangePicker } from './range.js';
import { isThere, storeOf } from './stores.js';

const EVERY = 5000; // milliseconds until one looks again
const RESTS = 20; // what took long rests so many times as long before it is asked for again
const TYPED = 150; // and after which a word that is being typed is looked for

const pathOf = (method) => (method.startsWith('/') ? method : `/v1/${method.replace('.', '/')}`);
const empty = (answer) => answer === null || (Array.isArray(answer) && answer.length === 0);

const instead = (status, asked) => asked.catch((failure) => { if (failure.status === status) return null; throw failure; });

// What a method answers; null: the store, or what is asked about, is not there.
async function answer([method, args], signal) {
  const there = method.startsWith('/') || await isThere(storeOf(method), signal);
  return there ? instead(404, get(pathOf(method), args, { signal })) : null;
}

// A token may read some stores and not others.
const isDenied = (failure) => failure.status === 403;

// Draw anew without disturbing whoever is there: what has the focus and what is unfolded is known by its data-key.
function redraw(where, nodes) {
  const focused = where.contains(document.activeElement) ? document.activeElement.closest('[data-key]')?.dataset.key : null;
  const unfolded = new Set([...where.querySelectorAll('details[open][data-key]')].map((one) => one.dataset.key));
  replace(where, nodes);
  const keyed = [...where.querySelectorAll('[data-key]')];
  for (const one of keyed) if (unfolded.has(one.dataset.key)) one.open = true;
  if (focused) keyed.find((one) => one.dataset.key === focused)?.focus({ preventScroll: true });
}

class Part {
  constructor(board, told) {
    Object.assign(this, told);
    this.board = board;
    this.json = h('span');
    this.body = h('div', { 'aria-busy': 'true' });
    this.whole = h('section', { class: 'part-of-board', 'aria-label': told.title },
      h('header', { class: 'part-head' }, h('h2', null, told.title), this.json), this.body);
    this.asking = null;
    this.shown = null; // the answer that is drawn, as text
    this.pages = 1;
    this.restsUntil = 0;
  }

  arguments() {
    const args = this.args ? this.args(this.board.page, this.board) : {};
    return args && this.page ? { ...args, limit: this.page * this.pages } : args;
  }

  // What is asked: [[method, arguments]…]
  questions() {
    const args = this.arguments();
    return args && [[this.method, args], ...(this.also ? [[this.also.method, this.also.args(this.board.page)]] : [])];
  }

  // A newer question makes the older one void; looking again does not disturb one that is under way.
  async load(again = false) {
    if (again && (this.still || this.asking || performance.now() < this.restsUntil)) return;
    this.asking?.abort();
    const questions = this.questions();
    this.whole.hidden = questions === null;
    if (questions === null) return;
    const asking = new AbortController();
    this.asking = asking;
    const began = performance.now();
    const signal = AbortSignal.any([asking.signal, this.board.page.signal]);
    try {
      const [first, ...others] = questions;
      const answers = await Promise.all([answer(first, signal), ...others.map((one) => instead(403, answer(one, signal)))]);
      if (!signal.aborted) this.show(answers, questions);
    } catch (failure) {
      if (isDenied(failure)) replace(this.body, h('p', { class: 'none' }, failure.message));
      throw failure;
    } finally {
      this.body.setAttribute('aria-busy', String(this.asking !== asking));
      if (this.asking === asking) this.asking = null;
      this.restsUntil = performance.now() + RESTS * (performance.now() - began);
    }
  }

  show(answers, questions) {
    const text = JSON.stringify([location.search, answers]);
    const [rows, also] = answers;
    replace(this.json, questions.map(([method, args], i) => jsonLink(pathOf(method), args, i ? 'and more' : 'JSON')));
    if (text === this.shown) return; // nothing happened
    if (this.body.contains(document.activeElement?.closest('.scroll'))) return; // somebody reads it
    this.shown = text;
    const more = this.page && rows?.length === questions[0][1].limit && h('div', { class: 'more' },
      h('button', { type: 'button', 'data-key': 'more', onclick: () => { this.pages += 1; this.board.load(); } }, 'Show more'));
    redraw(this.body, empty(rows) ? [h('p', { class: 'none' }, this.none ?? 'Nothing.')] : [this.draw(rows, this.board, also), more].flat());
  }
}

class Board {
  constructor(page, { title, parts, range, ask, tools }) {
    this.page = page;
    this.ranged = range;
    this.typing = false; // the query may end within a word
    this.range = h('div');
    this.told = h('p', { class: 'told', role: 'status' });
    this.parts = parts.map((told) => new Part(this, told));
    this.choices = h('div', { class: 'choices' });
    replace(page.main, h('section', { class: 'board' }, h('header', { class: 'head' }, h('h1', null, title)), ask ? this.askFor(ask) : null,
      range || tools ? h('div', { class: 'tools' }, range ? this.range : null, tools ? this.choices : null) : null, this.told, this.parts.map((part) => part.whole)));
    this.drawRange();
    this.makeTools = tools;
  }

  askFor(words) {
    let timer = null;
    const look = (typing) => {
      clearTimeout(timer);
      this.choose({ q: field.value }, typing);
    };
    const field = h('input', { type: 'search', id: 'q', placeholder: words, 'aria-label': words, autocomplete: 'off', spellcheck: 'false',
      oninput: () => { clearTimeout(timer); timer = setTimeout(look, TYPED, true); } });
    field.value = this.page.params.get('q') ?? '';
    this.page.signal.addEventListener('abort', () => clearTimeout(timer));
    return h('form', { class: 'ask', role: 'search', onsubmit: (event) => { event.preventDefault(); look(false); } }, field);
  }

  drawRange() {
    if (this.ranged) replace(this.range, rangePicker(this.page.params.get('since') ?? '', (name) => this.choose({ since: name })));
  }

  async drawTools() {
    if (!this.makeTools) return;
    const tools = await this.makeTools(this);
    if (!this.page.signal.aborted) replace(this.choices, tools);
  }

  // Another choice is another address, and shows what belongs to it.
  choose(changes, typing = false) {
    this.typing = typing;
    this.page.note(changes);
    this.drawRange();
    for (const part of this.parts) part.pages = 1;
    return this.load();
  }

  // Parts come independently of each other; what went wrong first is told.
  async load(again = false) {
    const outcomes = await Promise.allSettled(this.parts.map((part) => part.load(again)));
    if (this.page.signal.aborted) return;
    const failures = outcomes.filter((one) => one.status === 'rejected' && one.reason.name !== 'AbortError').map((one) => one.reason);
    const failed = failures.length < outcomes.length ? failures.find((one) => !isDenied(one)) : failures[0];
    const lost = again && failed instanceof TypeError; // the connection: it may come again
    this.page.live(!lost);
    if (failed && !lost) this.page.fail(failed);
  }

  // A button that calls a method, once: its row cannot be pressed again until the answer is there. What the method
  // refuses is told, and the view shows how things are.
  action({ label, key, method, args, done, primary = false }) {
    const button = h('button', { type: 'button', class: primary ? 'primary' : null, 'data-key': `${key} ${label}`, onclick: () => this.act(button, method, args, done) }, label);
    return button;
  }

  async act(button, method, args, done) {
    const all = [...button.closest('.row').querySelectorAll('button')];
    for (const one of all) one.disabled = true;
    let refused = '';
    try {
      await post(pathOf(method), typeof args === 'function' ? args() : args);
    } catch (failure) {
      if (failure.status === 401) { this.page.fail(failure); return; }
      refused = failure.status === 403 ? `This token may not do that: ${failure.message}` : failure.message;
    }
    this.told.classList.toggle('bad', Boolean(refused));
    this.told.textContent = refused || done;
    for (const one of all) one.disabled = false;
    await this.load();
  }
}

// The `open` of a view.
export const board = (told) => async (page) => {
  page.title(told.title);
  const shown = new Board(page, told);
  if (told.ask) document.getElementById('q').focus();
  await Promise.all([shown.drawTools(), shown.load()]);
  const timer = setInterval(() => { if (!document.hidden) shown.load(true); }, EVERY);
  page.signal.addEventListener('abort', () => clearInterval(timer));
};
