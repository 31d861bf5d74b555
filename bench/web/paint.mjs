// How soon every view of the dashboard is there, in a fresh browser context each: its first paint, and all of its parts.
// Arguments: the address of a server, its token, Chromium, and node_modules.  Prints JSON: {"/view": {paint_ms, parts_ms}}.

import { createRequire } from 'node:module';
import path from 'node:path';

const [, , address, token, executablePath, modules] = process.argv;
const { chromium } = createRequire(path.join(modules, 'x.js'))('playwright-core');

const VIEWS = ['/', '/?q=harbour', '/sessions', '/recall', '/recall?q=harbour', '/timeline', '/planner', '/assistant', '/knowledge', '/telemetry',
  '/telemetry?since=7d', '/health'];
const TURNS = 3;
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

// Something is there, and nothing is waited for any more.
async function settled(page) {
  await page.locator('main > *').first().waitFor();
  while (await page.locator('main [aria-busy=true]:visible').count()) await new Promise((done) => { setTimeout(done, 5); });
}

async function look(browser, view) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  await page.goto(`${address}/#token=${token}`);
  await settled(page);
  const started = performance.now();
  await page.goto(address + view);
  await settled(page);
  const parts = performance.now() - started;
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  await context.close();
  return { paint, parts };
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const figures = {};
for (const view of VIEWS) {
  const turns = [];
  for (let n = 0; n < TURNS; n++) turns.push(await look(browser, view));
  figures[view] = { paint_ms: median(turns.map((t) => t.paint)), parts_ms: median(turns.map((t) => t.parts)) };
}
await browser.close();
console.log(JSON.stringify(figures));
