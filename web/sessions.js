// All sessions: what they took over time, and a list to filter and sort.

import { get } from './api.js';
import { calmly, clip, h, replace } from './dom.js';
import { choice } from './entry.js';
import * as f from './format.js';
import { jsonLink } from './json.js';
import { rangePicker, since } from './range.js';
import { sessionRow, showRows } from './row.js';
import { usagePlots } from './usage.js';

export const nav = '/sessions';

const PAGE = 40;
const SORTS = [['', 'Latest activity'], ['started', 'Latest start'], ['tokens', 'Most tokens'], ['cost', 'Highest cost'], ['messages', 'Most messages']];
const BUCKETS = { '1d': 'hour', '1y': 'week' }; // what a bar stands for; else a day
const SECONDS = { hour: 3600, day: 86400, week: 604800 };

class Sessions {
  constructor(page) {
    this.page = page;
    this.params = page.params;
    this.tools = h('div', { class: 'tools' });
    this.totals = h('p', { class: 'totals' });
    this.plots = h('div', { class: 'plots' });
    this.list = h('ol', { class: 'rows' });
    this.more = h('div', { class: 'more' });
    this.json = h('span');
    this.filter = h('input', { type: 'search', 'aria-label': 'Filter sessions', placeholder: 'Title, project, branch, model…',
      autocomplete: 'off', oninput: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.choose('text', this.filter.value), 150); } });
    this.filter.value = this.params.get('text') ?? '';
    page.signal.addEventListener('abort', () => clearTimeout(this.timer));
  }

  query() {
    return {
      source_filter: this.params.getAll('source'),
      project_filter: this.params.getAll('project'),
      since: since(this.params.get('since') ?? ''),
    };
  }

  listed() {
    return { ...this.query(), text: this.params.get('text'), sort: this.params.get('sort'), subagents: this.params.get('subagents') };
  }

  choose(name, value) {
    this.page.note({ [name]: value });
    this.refresh().catch((failure) => this.page.fail(failure));
    if (name === 'since') this.drawTools();
  }

  async draw() {
    const { signal } = this.page;
    this.options = await get('/v1/find/facets', {}, { signal });
    this.drawTools();
    replace(this.page.main, h('section', { class: 'sessions' },
      h('header', { class: 'head' }, h('h1', null, 'Sessions'), this.json),
      this.tools, this.totals, this.plots, this.list, this.more));
    await this.refresh();
    this.page.follow(undefined, calmly(() => this.refresh().catch(() => {}), 1000));
  }

  drawTools() {
    const of = (facet, words) => this.options.filter((row) => row.facet === facet).slice(0, 200).map((row) => [row.value, `${clip(words(row.value), 60)} (${f.number(row.sessions)})`]);
    const get_ = (name) => this.params.get(name) ?? '';
    const choose = (name, value) => this.choose(name, value);
    const delegated = h('input', { type: 'checkbox', checked: Boolean(get_('subagents')), onchange: () => choose('subagents', delegated.checked ? 'true' : '') });
    const projects = of('project', f.project);
    replace(this.tools, rangePicker(get_('since'), (name) => choose('since', name)),
      h('div', { class: 'choices' }, this.filter,
        choice('Source', 'source', [['', 'All sources'], ...of('source', (value) => value)], get_('source'), choose),
        projects.length ? choice('Project', 'project', [['', 'All projects'], ...projects], get_('project'), choose) : null,
        choice('Sort by', 'sort', SORTS, get_('sort'), choose),
        h('label', { class: 'check' }, delegated, 'Subagents')));
  }

  async refresh() {
    const { signal } = this.page;
    const query = this.listed();
    const usage = { ...this.query(), bucket: BUCKETS[this.params.get('since') ?? ''] ?? 'day', utc_offset: -new Date().getTimezoneOffset() };
    const [found, time] = await Promise.all([
      get('/v1/find/sessions', { ...query, limit: PAGE }, { signal }), this.usage(usage, signal)]);
    replace(this.json, jsonLink('/v1/find/sessions', query, 'JSON of the list'), ' ', jsonLink('/v1/usage/time', usage, 'of the plots'));
    this.show(found.items);
    this.offerMore(query, found.next);
    this.sum(time);
    await usagePlots(this.plots, time, SECONDS[usage.bucket], signal);
  }

  // Days, unless there are too many to be seen.
  async usage(query, signal) {
    const time = await get('/v1/usage/time', query, { signal });
    if (query.bucket !== 'day' || !time.length || time.at(-1).start - time[0].start < 400 * SECONDS.day) return time;
    query.bucket = 'week';
    return get('/v1/usage/time', query, { signal });
  }

  show(items) {
    showRows(this.list, items.length ? items.map(sessionRow) : [h('li', { class: 'none' }, 'No session is like that.')]);
  }

  sum(time) {
    const total = (name) => time.reduce((sum, row) => sum + (row[name] ?? 0), 0);
    const figure = (value, words) => h('span', null, h('b', null, value), ` ${words}`);
    replace(this.totals, figure(f.number(total('sessions')), 'sessions'), figure(f.number(total('messages')), 'messages'),
      figure(f.short(total('input_tokens') + total('cache_read_tokens') + total('cache_write_tokens')), 'tokens read'), figure(f.short(total('output_tokens')), 'tokens written'),
      total('cost_usd') ? figure(f.money(total('cost_usd')), 'cost') : null);
  }

  offerMore(query, next) {
    replace(this.more, next && h('button', { type: 'button', onclick: async () => {
      const found = await get('/v1/find/sessions', { ...query, limit: PAGE, cursor: next }, { signal: this.page.signal });
      this.list.append(...found.items.map(sessionRow));
      this.offerMore(query, found.next);
    } }, 'Show more'));
  }
}

export async function open(page) {
  page.title('Sessions');
  await new Sessions(page).draw();
}
