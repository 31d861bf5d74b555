// What the browser tests share: a browser, pages that are watched, calls of the server, and TAP.

import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';

export const { STELE_WEB_URL: URL_, STELE_WEB_TOKEN: TOKEN, STELE_WEB_CHROMIUM: CHROMIUM, STELE_WEB_MODULES: MODULES } = process.env;

const require = createRequire(path.join(MODULES, 'x.js'));
const { chromium } = require('playwright-core');

const tests = [];
export const test = (name, run) => tests.push([name, run]);

export function same(got, wanted) {
  const [g, w] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (g !== w) throw new Error(`got ${g} instead of ${w}`);
}

export function holds(truth, words) {
  if (!truth) throw new Error(words);
}

export async function until(condition, words) {
  for (let i = 0; i < 2000; i++) {
    if (await condition()) return;
    await new Promise((done) => { setTimeout(done, 25); });
  }
  throw new Error(typeof words === 'function' ? words() : words);
}

// What is read becomes `wanted`: a page shows one thing after the other.
export async function becomes(read, wanted) {
  let got = null;
  await until(async () => { got = await read(); return JSON.stringify(got) === JSON.stringify(wanted); }, () => `got ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
}

// Every one of `parts` comes into the text that is read.
export async function tells(read, parts) {
  let missing = parts;
  await until(async () => { const text = await read(); missing = parts.filter((part) => !text.includes(part)); return missing.length === 0; }, () => `${missing} is not told`);
}

export async function call(method, args) {
  const answer = await fetch(`${URL_}/v1/${method.replace('.', '/')}`, {
    method: 'POST', body: JSON.stringify(args), headers: { Authorization: `Bearer ${TOKEN}` },
  });
  if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

export const BOARDS = ['/recall', '/timeline', '/planner', '/assistant', '/knowledge', '/telemetry', '/health'];

// Every part of a board is there.
export async function finished(page) {
  await page.locator('.board').waitFor();
  await until(async () => await page.locator('section:not([hidden]) > [aria-busy=true]').count() === 0, 'a part does not come');
}

// A page on which nothing may go wrong: errors, and requests that leave the server, are kept in page.wrong.
export async function newPage(browser, { now, colorScheme = 'light', viewport = { width: 1280, height: 860 }, url = URL_ } = {}) {
  const context = await browser.newContext({ colorScheme, viewport, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' });
  const page = await context.newPage();
  if (now) await page.clock.setFixedTime(new Date(now * 1000));
  page.place = url;
  page.wrong = [];
  page.on('console', (message) => { if (message.type() === 'error') page.wrong.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => page.wrong.push(`error: ${error.message}`));
  page.on('request', (request) => { if (new URL(request.url()).origin !== url) page.wrong.push(`request: ${request.url()}`); });
  page.setDefaultTimeout(60000); // a busy machine is slow, not wrong
  return page;
}

// Another address of the server, whose connections can be cut.
export async function relay() {
  const there = new URL(URL_);
  const sockets = new Set();
  let whole = true;
  const server = net.createServer((near) => {
    if (!whole) return near.destroy();
    const far = net.connect(Number(there.port), there.hostname);
    for (const [one, other] of [[near, far], [far, near]]) {
      sockets.add(one);
      one.on('error', () => {}).on('close', () => { sockets.delete(one); other.destroy(); }).pipe(other);
    }
    return undefined;
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const cut = () => { whole = false; for (const socket of sockets) socket.destroy(); };
  return { url: `http://127.0.0.1:${server.address().port}`, cut, mend() { whole = true; }, close() { cut(); server.close(); } };
}

// Open a view as who came by the address that the server prints.
export async function open(page, view = '/') {
  const [place, hash] = view.split('#');
  await page.goto(`${page.place}${place}#token=${TOKEN}`);
  if (hash) {
    await page.locator('main *').first().waitFor();
    await page.goto(`${page.place}${view}`);
    await page.reload();
  }
  return page;
}

export async function run() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'] });
  let failed = 0;
  for (const [name, body] of tests) {
    const pages = [];
    const page = async (options) => { pages.push(await newPage(browser, options)); return pages.at(-1); };
    try {
      await body(page, browser);
      for (const one of pages) same(one.wrong, []);
      console.log(`ok - ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`not ok - ${name}`);
      console.log(String(error.stack ?? error).replace(/^/gm, '# '));
    }
    for (const one of pages) await one.context().close();
  }
  await browser.close();
  process.exitCode = failed ? 1 : 0;
}
