// Pictures of the views, for the README: node shots.mjs DIRECTORY NOW SESSION

import path from 'node:path';
import { holds, open, run, test } from './browser.mjs';

const [directory, now, session] = process.argv.slice(2);

const SHOTS = [
  ['search', '/search?q=locked', 'light', 1280, 860],
  ['session', `/session/${session}`, 'light', 1280, 860],
  ['sessions', '/sessions?since=30d', 'dark', 1280, 860],
  ['phone', '/search?q=locked', 'dark', 390, 780],
];

for (const [name, view, colorScheme, width, height] of SHOTS) {
  test(`a picture of ${name}`, async (page) => {
    const shown = await open(await page({ now: Number(now), colorScheme, viewport: { width, height } }), view);
    await shown.locator('main .row, main table').first().waitFor();
    if (view.startsWith('/search')) await shown.locator('.facet').first().waitFor();
    if (view.startsWith('/sessions')) await shown.locator('.plot canvas').first().waitFor();
    await shown.evaluate(() => { document.activeElement?.blur(); return document.fonts.ready; });
    const bytes = await shown.screenshot({ path: path.join(directory, `${name}.png`), animations: 'disabled' });
    holds(bytes.length > 10000 && bytes.length < 200000, `${name}.png has ${bytes.length} bytes`);
  });
}

await run();
