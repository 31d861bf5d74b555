// Numbers and times for people.

const NUMBER = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const DATE = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const CLOCK = new Intl.DateTimeFormat('en', { timeStyle: 'short' });

export const number = (value) => NUMBER.format(value ?? 0);
export const short = (value) => SHORT.format(value ?? 0);

export const many = (count, one, more = `${one}s`) => `${number(count)} ${count === 1 ? one : more}`;

export function money(usd) {
  if (usd === null || usd === undefined) return '';
  if (usd > 0 && usd < 0.01) return '< $0.01';
  return `$${usd.toFixed(usd >= 100 ? 0 : 2)}`;
}

export function bytes(count) {
  if (count === null || count === undefined) return '–';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  for (; count >= 1000 && at < units.length - 1; at++) count /= 1000;
  return `${at ? count.toFixed(count < 10 ? 1 : 0) : count} ${units[at]}`;
}

// Stores tell times as seconds since 1970, as milliseconds (captured things), or in words (the assistant's with
// their offset, the planner's in UTC). A time that is no time is told as nothing.
const FAR = 1e11; // as seconds this is in the year 5138: whatever is greater counts milliseconds

export function seconds(time) {
  if (typeof time === 'string') return Date.parse(/[Z+]|-\d\d:\d\d$/.test(time) ? time : `${time.replace(' ', 'T')}Z`) / 1000;
  return Math.abs(time) > FAR ? time / 1000 : time;
}

const date = (time) => new Date(seconds(time) * 1000);
const known = (time) => time !== null && time !== undefined && Math.abs(seconds(time)) < 8.6e12;

export const moment = (time) => (known(time) ? MOMENT.format(date(time)) : '');
export const clock = (time) => (known(time) ? CLOCK.format(date(time)) : '');
export const day = (time) => (known(time) ? DATE.format(date(time)) : '');
export const wholeDay = (time) => (known(time) ? DAY.format(date(time)) : '');
export const iso = (time) => (known(time) ? date(time).toISOString() : '');

// "3 min ago", "yesterday", "4 Mar 2026"
export function ago(time, now = Date.now() / 1000) {
  if (!known(time)) return '';
  const age = now - seconds(time);
  if (age < 0) return moment(time);
  if (age < 60) return 'just now';
  if (age < 3600) return `${Math.floor(age / 60)} min ago`;
  if (age < 86400) return `${Math.floor(age / 3600)} h ago`;
  if (age < 172800) return 'yesterday';
  if (age < 2592000) return `${Math.floor(age / 86400)} days ago`;
  return DAY.format(date(time));
}

export function duration(seconds) {
  if (!(seconds >= 0)) return '';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h${seconds % 3600 < 60 ? '' : ` ${Math.floor((seconds % 3600) / 60)} min`}`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

// The last part of a directory is what people call a project.
export const project = (directory) => directory.replace(/\/+$/, '').split('/').pop() || directory;
