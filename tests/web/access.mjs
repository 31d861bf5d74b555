// No serious fault for those who see, hear or point differently, by axe: node access.mjs NOW SESSION

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MODULES, open, run, same, test, URL_ } from './browser.mjs';

const [now, session] = process.argv.slice(2);
const AXE = readFileSync(path.join(MODULES, 'axe-core', 'axe.min.js'), 'utf8');
const PHONE = { width: 390, height: 800 };

async function faults(page) {
  await page.evaluate(`${AXE};0`);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ''}`).slice(0, 3).join(' | ')}`);
}

const VIEWS = {
  '/': '.row',
  '/search?q=locked': '.facet',
  '/search?q=qqqzzz': '.found',
  '/sessions': '.plot canvas',
  [`/session/${session}`]: '.message',
  '/recall?q=locked': '.hit',
  '/item?ref=assistant/note/frost': '.here',
  '/timeline': '.day',
  '/planner?session=harbour': '.branch',
  '/assistant': '.actions',
  '/knowledge?entity=1&name=pytest': 'svg.graph',
  '/telemetry': '.plot canvas',
  '/health': 'table',
  '/json?of=/v1/status': 'pre.body',
};

for (const colorScheme of ['light', 'dark']) {
  for (const [view, ready] of Object.entries(VIEWS)) {
    test(`${colorScheme}: no serious fault at ${view.slice(0, 30)}`, async (page) => {
      const shown = await page({ now: Number(now), colorScheme });
      await open(shown, view);
      await shown.locator(ready).first().waitFor();
      await shown.evaluate(() => { for (const one of document.querySelectorAll('details')) one.open = true; });
      await shown.waitForTimeout(150);
      same(await faults(shown), []);
      await shown.setViewportSize(PHONE);
      same(await faults(shown), []);
      same(await shown.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    });
  }
  test(`${colorScheme}: no serious fault in the form for a token, and the keys`, async (page) => {
    const shown = await page({ colorScheme });
    await shown.goto(`${URL_}/`);
    await shown.getByLabel('Token', { exact: true }).waitFor();
    same(await faults(shown), []);
    await open(shown);
    await shown.reload();
    await shown.locator('.row').first().waitFor();
    await shown.keyboard.press('Escape');
    await shown.keyboard.press('?');
    await shown.getByRole('dialog').waitFor();
    same(await faults(shown), []);
    shown.wrong = shown.wrong.filter((line) => !/401/.test(line));
  });
}

test('a fault that is put there is found', async (page) => {
  const shown = await open(await page({ now: Number(now) }));
  await shown.locator('.row').first().waitFor();
  await shown.evaluate(() => { document.querySelector('.found').style.color = '#dddddd'; document.querySelector('main').append(document.createElement('button')); });
  same((await faults(shown)).map((line) => line.split(':')[0]).sort(), ['button-name', 'color-contrast']);
});

test('what has the focus can be seen', async (page) => {
  const shown = await open(await page({ now: Number(now) }));
  await shown.locator('.row').first().waitFor();
  await shown.keyboard.press('Escape');
  for (let i = 0; i < 12; i++) {
    await shown.keyboard.press('Tab');
    const outline = await shown.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    same(outline, 'solid');
  }
});

await run();
