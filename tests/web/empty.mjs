// The views over all stores where there is nothing yet: node empty.mjs

import { BOARDS, finished, holds, open, run, test } from './browser.mjs';

test('where nothing is, every view says so', async (page) => {
  const shown = await page();
  for (const view of BOARDS) {
    await open(shown, view);
    await finished(shown);
    holds(view === '/health' || await shown.locator('.none').first().isVisible(), `${view} says nothing`);
  }
});

await run();
