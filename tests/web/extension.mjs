// The extension in a real browser: it is given a site, pages are read, and what became of them is printed as JSON.
//
//   extension.mjs DIRECTORY EXTENSION {"set":BOOLEAN,"path":TEXT}
//
// DIRECTORY is the browser's own.  With `set`, the options are filled in first.

import { createRequire } from 'node:module';
import http from 'node:http';
import path from 'node:path';

const { STELE_WEB_CHROMIUM: CHROMIUM, STELE_WEB_MODULES: MODULES } = process.env;
const { chromium } = createRequire(path.join(MODULES, 'x.js'))('playwright-core');
const [directory, extension, said] = process.argv.slice(2);
const { set, path: wanted } = JSON.parse(said);
const LONG = 600; // milliseconds: longer than what the configuration wants

const article = 'A stone with words on it. '.repeat(20);
const PAGE = `<!doctype html><title>A guide &amp; more</title><nav>not this</nav><main><article><h1>Stones</h1><p>${article}</p>
<p hidden>nor this</p><div style="height:5000px"></div><p>The end.</p></article></main><script>'nor that'</script>`;
const site = http.createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(PAGE));
await new Promise((done) => { site.listen(0, '0.0.0.0', done); });
const { port } = site.address();

const browser = await chromium.launchPersistentContext(directory, {
  executablePath: CHROMIUM,
  headless: false, // Playwright's own way of being headless has no extensions
  args: ['--headless=new', '--no-sandbox', '--disable-gpu', `--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
});
browser.setDefaultTimeout(60000); // a busy machine is slow, not wrong
const worker = browser.serviceWorkers()[0] ?? await browser.waitForEvent('serviceworker');
const page = await browser.newPage();
const result = {};

async function fillIn() {
  await page.goto(new URL('options.html', worker.url()).href);
  await page.getByText('is there').waitFor();
  await page.getByLabel('Sites').fill('http://127.0.0.1/\nnot a site');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  await page.getByText('is there').waitFor();
  result.options = await page.locator('main').innerText();
  await worker.evaluate(() => chrome.storage.local.set({ minDwell: 200 }));
}

async function read(url) {
  await page.goto(url);
  await page.waitForTimeout(LONG);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
  await page.waitForTimeout(LONG);
  await page.goto('about:blank');
}

// What the extension says of itself, as soon as it is that.
async function until(ask, is) {
  for (;;) {
    const answer = await worker.evaluate(ask);
    if (is(answer)) return answer;
    await new Promise((done) => { setTimeout(done, 50); });
  }
}

if (set) await fillIn();
result.registered = await until(() => chrome.scripting.getRegisteredContentScripts(), (scripts) => scripts.length > 0);
if (set) await read(`http://localhost:${port}/not-wanted`);
const url = `http://127.0.0.1:${port}${wanted}`;
await read(url);
result.last = (await until(() => chrome.storage.local.get('last'), ({ last }) => last?.url === url)).last;
result.site = `http://127.0.0.1:${port}`;
console.log(JSON.stringify(result));
await browser.close();
site.close();
