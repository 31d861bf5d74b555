// Pictures of the views, for the README and the tour: node shots.mjs DIRECTORY NOW SESSION

import path from 'node:path';
import { finished, holds, open, run, test } from './browser.mjs';

const [directory, now, session] = process.argv.slice(2);

// name, view, colours, width, height, what has to be there, what is unfolded
const SHOTS = [
  ['search', '/search?q=locked', 'light', 1280, 860, '.facet'],
  ['session', `/session/${session}`, 'light', 1280, 860, '.row'],
  ['sessions', '/sessions?since=30d', 'dark', 1280, 860, '.plot canvas'],
  ['phone', '/search?q=locked', 'dark', 390, 780, '.facet'],
  ['recall', '/recall?q=locked', 'light', 1280, 860, '.hit', '.hit:first-child details'],
  ['timeline', '/timeline?since=7d', 'light', 1280, 860, '.day'],
  ['planner', '/planner?session=harbour', 'light', 1280, 1180, '.branch'],
  ['assistant', '/assistant', 'light', 1280, 860, '.actions'],
  ['knowledge', '/knowledge?entity=3&name=lighthouse', 'dark', 1280, 860, 'svg.graph'],
  ['telemetry', '/telemetry?since=1d', 'light', 1280, 860, '.plot canvas'],
  ['health', '/health', 'dark', 1280, 640, 'table'], // without the places of files
];

for (const [name, view, colorScheme, width, height, ready, unfold] of SHOTS) {
  test(`a picture of ${name}`, async (page) => {
    const shown = await open(await page({ now: Number(now), colorScheme, viewport: { width, height } }), view);
    await shown.locator(ready).first().waitFor();
    if (await shown.locator('.board').count()) await finished(shown);
    if (unfold) await shown.locator(unfold).evaluate((details) => { details.open = true; });
    await shown.evaluate(() => { document.activeElement?.blur(); return document.fonts.ready; });
    const bytes = await shown.screenshot({ path: path.join(directory, `${name}.png`), animations: 'disabled' });
    holds(bytes.length > 10000 && bytes.length < 200000, `${name}.png has ${bytes.length} bytes`);
  });
}

await run();
