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

// Stores tell times as seconds since 1970. A time that is no time is told as nothing.
const date = (seconds) => new Date(seconds * 1000);
const known = (seconds) => typeof seconds === 'number' && Math.abs(seconds) < 8.6e12;

export const moment = (seconds) => (known(seconds) ? MOMENT.format(date(seconds)) : '');
export const clock = (seconds) => (known(seconds) ? CLOCK.format(date(seconds)) : '');
export const day = (seconds) => (known(seconds) ? DATE.format(date(seconds)) : '');
export const iso = (seconds) => (known(seconds) ? date(seconds).toISOString() : '');

// "3 min ago", "yesterday", "4 Mar 2026"
export function ago(seconds, now = Date.now() / 1000) {
  if (!known(seconds)) return '';
  const age = now - seconds;
  if (age < 0) return moment(seconds);
  if (age < 60) return 'just now';
  if (age < 3600) return `${Math.floor(age / 60)} min ago`;
  if (age < 86400) return `${Math.floor(age / 3600)} h ago`;
  if (age < 172800) return 'yesterday';
  if (age < 2592000) return `${Math.floor(age / 86400)} days ago`;
  return DAY.format(date(seconds));
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
