// Sessions full of markup: node hostile.mjs SESSION…

import { BOARDS, finished, holds, open, run, same, test, URL_ } from './browser.mjs';

const sessions = process.argv.slice(2);

// What the page itself is made of.
const OURS = new Set(['A', 'ARTICLE', 'ASIDE', 'B', 'BDI', 'BODY', 'BUTTON', 'CANVAS', 'CAPTION', 'CODE', 'DD', 'DETAILS', 'DIV', 'DL', 'DT', 'FIGCAPTION',
  'FIGURE', 'FORM', 'H1', 'H2', 'H3', 'HEADER', 'INPUT', 'KBD', 'LABEL', 'LI', 'MAIN', 'MARK', 'METER', 'NAV', 'NOSCRIPT', 'OL', 'OPTION', 'OUTPUT', 'P', 'PRE', 'SECTION',
  'SELECT', 'SMALL', 'SPAN', 'STRONG', 'SUMMARY', 'TABLE', 'TBODY', 'TD', 'TH', 'THEAD', 'TIME', 'TR', 'UL', 'a', 'circle', 'line', 'path', 'svg', 'text', 'title']);

async function harmless(page) {
  const found = await page.evaluate((ours) => {
    const all = [...document.body.querySelectorAll('*')];
    const inPlot = (one) => one.closest('.plot');
    return {
      pwned: window.pwned ?? null,
      strange: [...new Set(all.map((one) => one.tagName).filter((name) => !ours.includes(name)))],
      svg: all.filter((one) => one.tagName === 'svg' && !one.closest('.mark, .graph')).length,
      handlers: all.flatMap((one) => [...one.attributes]).filter((one) => /^on/i.test(one.name)).length,
      styles: all.filter((one) => one.hasAttribute('style') && !inPlot(one)).length,
      links: all.filter((one) => one.tagName.toLowerCase() === 'a' && !/^(\/(?!\/)|#)/.test(one.getAttribute('href') ?? '')).length,
      wide: document.documentElement.scrollWidth > innerWidth,
    };
  }, [...OURS]);
  same(found, { pwned: null, strange: [], svg: 0, handlers: 0, styles: 0, links: 0, wide: false });
}

const VIEWS = ['/', '/search?q=evil', `/search?q=${encodeURIComponent('<img src=x onerror=window.pwned=1>')}&role=%3Cb%3E&source=%22%3E&since=%3C`,
  '/search?q=wwwwwwww', '/sessions?subagents=true', `/sessions?text=${encodeURIComponent('<svg/onload')}&sort=cost`];

for (const view of VIEWS) {
  test(`nothing becomes markup at ${view.slice(0, 40)}`, async (page) => {
    const shown = await open(await page(), view);
    await shown.locator('main section').waitFor();
    await shown.locator('.row, .none, table, .found:not(:empty)').first().waitFor();
    await shown.waitForTimeout(500); // what comes second: facets, plots
    await harmless(shown);
  });
}

test('nothing becomes markup in the views over all stores, everything unfolded', async (page) => {
  const shown = await page();
  for (const view of [...BOARDS, '/recall?q=evil', '/knowledge?entity=1&name=%3Cb%3E', `/item?ref=${encodeURIComponent('assistant/note/<img src=x>')}`]) {
    await open(shown, view);
    await finished(shown);
    await shown.evaluate(() => { for (const one of document.querySelectorAll('details')) one.open = true; });
    await shown.waitForTimeout(200);
    await harmless(shown);
  }
  shown.wrong = shown.wrong.filter((line) => !/404/.test(line)); // there is no such note
  await open(shown, '/recall?q=evil&store=assistant');
  await shown.locator('.hit a').first().click();
  await shown.getByText('window.pwned').first().waitFor();
  await harmless(shown);
});

test('nothing becomes markup in a session, everything unfolded', async (page) => {
  const shown = await page();
  for (const session of sessions) {
    await open(shown, `/session/${encodeURIComponent(session)}`);
    await shown.locator('.session-head h1').waitFor();
    await shown.locator('.message, .none').first().waitFor();
    await shown.evaluate(() => { for (const one of document.querySelectorAll('details')) one.open = true; });
    await shown.waitForTimeout(200);
    await shown.evaluate(() => { for (const one of document.querySelectorAll('.rest')) one.click(); });
    await harmless(shown);
  }
  holds(sessions.length === 4, 'a session is missing');
});

test('what was written is what is read', async (page) => {
  const shown = await open(await page(), `/session/${encodeURIComponent(sessions.find((id) => id.startsWith('evil/')))}`);
  await shown.locator('.message').first().waitFor();
  const text = await shown.locator('.message .prose').first().textContent();
  for (const part of ['<img src=x onerror="window.pwned=1">', '</script><script>window.pwned=1</script>', '&lt;b&gt;', 'שלום', '{{7*7}}${7*7}']) {
    holds(text.includes(part), `${part} is not shown as it was written`);
  }
  same(await shown.locator('.message .prose').first().getAttribute('dir'), 'auto');
});

test('nothing becomes markup in the JSON of a session', async (page) => {
  const shown = await page();
  for (const session of sessions) {
    await open(shown, `/json?of=${encodeURIComponent(`/v1/sessions/${encodeURIComponent(session)}/messages`)}`);
    await shown.locator('pre.body').waitFor();
    await harmless(shown);
  }
});

test('the JSON view asks this server only', async (page) => {
  const shown = await page();
  for (const of of ['https://example.com/v1/', '//example.com/v1/', 'javascript:window.pwned=1', '/healthz']) {
    await open(shown, `/json?of=${encodeURIComponent(of)}`);
    await shown.getByText('addresses that begin with /v1/').waitFor();
  }
});

test('what is put there is found', async (page) => {
  const shown = await open(await page());
  await shown.locator('main section').waitFor();
  await harmless(shown);
  for (const [name, attribute, value] of [['img', 'alt', ''], ['a', 'href', 'javascript:x'], ['p', 'style', 'color:red']]) {
    const added = await shown.evaluateHandle(([tag, key, words]) => {
      const element = document.createElement(tag);
      element.setAttribute(key, words);
      document.querySelector('main').append(element);
      return element;
    }, [name, attribute, value]);
    holds(await harmless(shown).then(() => false, () => true), `${name} with ${attribute} was not found`);
    await added.evaluate((element) => element.remove());
  }
  shown.wrong.length = 0; // the policy refuses some of it
});

test('a script that gets into the page does not run', async (page) => {
  const shown = await open(await page());
  await shown.locator('main section').waitFor();
  const told = await shown.evaluate(async () => {
    await new Promise((done) => { setTimeout(done, 0); }); // what a debugger evaluates at once may do more than the page

    const trials = {
      markup() { document.querySelector('main').innerHTML = '<img src=x onerror="window.pwned=1">'; },
      script() { const script = document.createElement('script'); script.textContent = 'window.pwned=1'; document.body.append(script); },
      address() { const script = document.createElement('script'); script.src = 'data:text/javascript,window.pwned=1'; document.body.append(script); },
      handler() { const image = document.createElement('img'); image.setAttribute('onerror', 'window.pwned=1'); image.src = '/nothing'; document.body.append(image); },
      code() { eval('window.pwned=1'); },
    };
    return Object.entries(trials).map(([name, trial]) => { try { trial(); return `${name} passed`; } catch (error) { return `${name}: ${error.name}`; } });
  });
  await shown.waitForTimeout(300);
  same(await shown.evaluate(() => window.pwned ?? null), null);
  holds(!told.includes('markup passed') && !told.includes('code passed'), told.join(', '));
  const elsewhere = await shown.evaluate(() => fetch('https://example.com/').then(() => 'sent', () => 'refused'));
  same(elsewhere, 'refused');
  holds(shown.wrong.some((line) => /Content Security Policy|TrustedScript|Trusted Type/.test(line)), 'the browser told of no policy');
  shown.wrong.length = 0;
});

test('an address of another origin cannot put the page into a frame', async (page) => {
  const shown = await page({ url: 'null' });
  await shown.setContent(`<iframe src="${URL_}/"></iframe>`);
  await shown.waitForTimeout(500);
  const inside = shown.frames().find((frame) => frame !== shown.mainFrame());
  holds(!(await inside.evaluate(() => document.querySelector('header.bar') !== null).catch(() => false)), 'it was framed');
  shown.wrong.length = 0;
});

await run();
