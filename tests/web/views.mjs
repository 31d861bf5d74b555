// The views, with the sample in them: node views.mjs NOW SESSION…

import { becomes, call, holds, open, relay, run, same, tells, test, TOKEN, until, URL_ } from './browser.mjs';

const [now, session] = process.argv.slice(2);
const at = { now: Number(now) };
const LOCKED = 'Why is the database locked?';
const texts = (locator) => locator.allInnerTexts();

test('the first page shows what was done lately, and takes the token out of its address', async (page) => {
  const shown = await open(await page(at));
  await shown.getByText(LOCKED).first().waitFor();
  same(shown.url(), `${URL_}/`);
  same(await shown.evaluate(() => [sessionStorage.getItem('stele.token') !== null, localStorage.getItem('stele.token')]), [true, null]);
  await becomes(() => shown.evaluate(() => document.activeElement.id), 'q');
});

test('search finds as one types, with the beginning of a word, and marks it', async (page) => {
  const shown = await open(await page(at));
  await shown.locator('#q').pressSequentially('databa', { delay: 5 });
  await shown.locator('.hit mark').first().waitFor();
  await until(async () => (await texts(shown.locator('.hit mark'))).every((word) => word.toLowerCase() === 'database'), 'other words are marked');
  await until(async () => (await texts(shown.locator('.hit-title'))).includes(LOCKED), 'the session is not found');
  await becomes(() => new URL(shown.url()).search, '?q=databa');
  await shown.locator('#q').fill('qqqzzz');
  await shown.getByText('Nothing has these words').waitFor();
  same(await shown.locator('.hit').count(), 0);
});

test('an older answer does not overwrite a newer one', async (page) => {
  const shown = await open(await page(at));
  await shown.route('**/v1/search?query=tide**', async (route) => { await new Promise((done) => { setTimeout(done, 700); }); await route.continue().catch(() => {}); });
  await shown.locator('#q').fill('tide');
  await shown.waitForTimeout(200);
  await shown.locator('#q').fill('pandas');
  await shown.locator('.hit').first().waitFor();
  await shown.waitForTimeout(900);
  holds((await texts(shown.locator('.hit mark'))).every((word) => word === 'pandas'), 'the older answer is shown');
});

test('facets have counts, filter when clicked, and are in the address', async (page) => {
  const shown = await open(await page(at), '/search?q=locked');
  const facet = (name) => shown.locator('.facets button', { hasText: name });
  await facet('telegram').waitFor();
  await becomes(async () => (await texts(shown.locator('.facets [aria-label=Source] button'))).map((text) => text.replace(/\s+/g, ' ')), ['claude-code 3', 'telegram 1']);
  await facet('telegram').click();
  await until(async () => await shown.locator('.hit').count() === 1, 'the facet does not filter');
  await becomes(() => new URL(shown.url()).search, '?q=locked&source=telegram');
  await becomes(() => facet('telegram').getAttribute('aria-pressed'), 'true');
  await facet('telegram').click();
  await facet('lighthouse').click();
  await until(async () => await shown.locator('.hit').count() === 2, 'the project does not filter');
  await facet('user').click();
  await until(async () => await shown.locator('.hit').count() === 1, 'the role does not filter');
  await shown.reload();
  await until(async () => await shown.locator('.hit').count() === 1, 'the address does not keep the filters');
  await facet('lighthouse').click();
  await facet('user').click();
  await facet('24 hours').click();
  await until(async () => await shown.locator('.hit').count() === 2, 'the time does not filter');
  await becomes(() => shown.locator('nav [data-nav="/sessions"]').getAttribute('href'), '/sessions?since=1d');
});

test('a hit opens its message in the session', async (page) => {
  const shown = await open(await page(at), '/search?q=jitter+spreads');
  await shown.locator('.hit').first().click();
  const hit = shown.locator('.message.here');
  await hit.waitFor();
  await tells(() => hit.innerText(), ['full jitter']);
  holds(/#m\d+$/.test(shown.url()), 'the message is not in the address');
});

test('a session is read with its account, reasoning and tool calls, folded and paired', async (page) => {
  const shown = await open(await page(at), `/session/${session}`);
  await shown.getByRole('heading', { name: LOCKED }).waitFor();
  await tells(() => shown.locator('.session-head').innerText(), ['claude-code', 'lighthouse', 'fix/locked', 'claude-opus-4', '3 tool calls', 'tokens read', '$', 'Review of the importer']);
  const grep = shown.locator('details.tool', { hasText: 'Grep' });
  same(await grep.evaluate((one) => one.open), false);
  await becomes(() => shown.locator('details.tool').count(), 3);
  same(await shown.locator('.message.tool').count(), 0);
  await grep.locator('summary').click();
  await grep.getByText('src/importer.py:97').waitFor();
  await tells(() => grep.innerText(), ['"pattern": "BEGIN|commit"']);
  const reasoning = shown.locator('details.reasoning').first();
  await reasoning.locator('summary').click();
  await reasoning.locator('.prose', { hasText: 'look before answering' }).waitFor();
  same(await shown.locator('pre.code[data-language=python] code').innerText(), [
    'def write_batch(db, rows):', '    db.execute("BEGIN IMMEDIATE")',
    '    db.executemany("INSERT INTO readings VALUES (?, ?, ?)", rows)', '    db.commit()'].join('\n'));
});

test('tokens of a message are told where they are known', async (page) => {
  const shown = await open(await page(at), '/session/tea-2026');
  await shown.getByText('38 tokens').waitFor();
  const told = await open(await page(at), `/session/${session}`);
  await told.locator('.message .spent').first().waitFor({ state: 'attached' });
  same(/^[\d.]+K? tokens read · [\d.]+K? written$/.test(await told.locator('.message .spent').first().textContent()), true);
});

test('lineage leads to the parent and back', async (page) => {
  const shown = await open(await page(at), `/session/${session}`);
  await shown.getByRole('link', { name: 'Review of the importer' }).click();
  await shown.getByRole('heading', { name: 'Review of the importer' }).waitFor();
  await shown.getByRole('link', { name: LOCKED }).click();
  await shown.getByRole('heading', { name: LOCKED }).waitFor();
});

test('every view has its JSON, with the line that fetches it', async (page) => {
  const shown = await open(await page(at), `/session/${session}`);
  await shown.getByRole('link', { name: 'JSON of the session' }).click();
  await shown.locator('pre.body').waitFor();
  same(JSON.parse(await shown.locator('pre.body').innerText()).title, LOCKED);
  await tells(() => shown.locator('pre.curl').innerText(), [`/v1/sessions/${session}`]);
  holds(!(await shown.locator('main').innerText()).includes(TOKEN), 'the token is shown');
  for (const view of ['/search?q=locked', '/sessions', '/status']) {
    await shown.goto(URL_ + view);
    await shown.getByRole('link', { name: /^JSON/ }).first().click();
    await shown.locator('pre.body').waitFor();
    JSON.parse(await shown.locator('pre.body').innerText());
  }
  await shown.goto(`${URL_}/session/${session}`);
  await shown.locator('.message').first().hover();
  await shown.locator('.message').first().getByRole('link', { name: 'JSON' }).click();
  await shown.locator('pre.body').waitFor();
  same(JSON.parse(await shown.locator('pre.body').innerText()).role, 'user');
});

test('sessions have plots of tokens and costs, are filtered and sorted', async (page) => {
  const shown = await open(await page(at), '/sessions');
  await shown.locator('.plot canvas').nth(1).waitFor();
  await becomes(() => shown.locator('.plot canvas').evaluateAll((all) => all.map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value, i) => i % 4 === 3 && value > 0);
  })), [true, true]);
  await tells(() => shown.locator('.totals').innerText(), ['48 sessions']);
  await shown.getByLabel('Project').selectOption('/srv/atlas-api');
  await until(async () => (await texts(shown.locator('.rows .meta'))).every((text) => text.includes('atlas-api')), 'the project does not filter');
  await shown.getByLabel('Project').selectOption('');
  await shown.getByRole('searchbox').fill('TIDE');
  await until(async () => await shown.locator('.rows .row').count() === 1, 'the text does not filter');
  await shown.getByRole('searchbox').fill('');
  await shown.getByLabel('Sort by').selectOption('cost');
  await until(async () => new URL(shown.url()).searchParams.get('sort') === 'cost', 'the order is not in the address');
  await until(async () => {
    const costs = (await texts(shown.locator('.figures span:last-child'))).map((text) => Number(text.replace('$', ''))).slice(0, 10);
    return costs.length === 10 && costs.every((cost, i) => i === 0 || costs[i - 1] >= cost);
  }, 'the costs do not sort');
  await shown.getByRole('button', { name: '7 days' }).click();
  await until(async () => await shown.locator('.rows .row').count() < 20, 'the time does not filter');
  await shown.getByRole('button', { name: 'All time' }).click();
  await shown.getByRole('button', { name: 'Show more' }).click();
  await until(async () => await shown.locator('.rows .row').count() === 47, 'the next page does not come');
});

test('the health tells stores, versions and the server', async (page) => {
  const shown = await open(await page(), '/status');
  await tells(() => shown.locator('main').innerText(), ['conversation', 'telemetry', 'server', 'current', '11', 'SQLite 3.', 'Index', 'retention', 'Heartbeat']);
});

test('back and forward', async (page) => {
  const shown = await open(await page(at), '/search?q=locked');
  await shown.locator('.hit').first().click();
  await shown.locator('.reader').waitFor();
  await shown.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Sessions' }).click();
  await shown.locator('.sessions').waitFor();
  await shown.goBack();
  await shown.locator('.reader').waitFor();
  await shown.goBack();
  await shown.locator('.hit').first().waitFor();
  same(await shown.locator('#q').inputValue(), 'locked');
  await shown.goForward();
  await shown.locator('.reader').waitFor();
});

test('the keyboard alone is enough', async (page) => {
  const shown = await open(await page(at));
  const focused = () => shown.evaluate(() => document.activeElement.className);
  await shown.locator('.rows .row').first().waitFor();
  await shown.keyboard.press('Escape');
  await shown.keyboard.press('j');
  await becomes(focused, 'row session');
  await shown.keyboard.press('/');
  same(await shown.evaluate(() => document.activeElement.id), 'q');
  await shown.keyboard.type('locked');
  await shown.locator('.hit').nth(3).waitFor();
  await shown.locator('.hits[aria-busy="false"]').waitFor();
  await shown.keyboard.press('ArrowDown');
  await shown.keyboard.press('j');
  await shown.keyboard.press('k');
  await shown.keyboard.press('ArrowDown');
  const second = await shown.locator('.hit').nth(1).getAttribute('href');
  same(await shown.evaluate(() => document.activeElement.getAttribute('href')), second);
  await shown.keyboard.press('Enter');
  await shown.locator('.reader .here').waitFor();
  await becomes(() => new URL(shown.url()).pathname + new URL(shown.url()).hash, second);
  await shown.keyboard.press('Escape');
  await shown.locator('.hit').first().waitFor();
  await shown.keyboard.press('Escape'); // out of the field
  await shown.keyboard.press('g');
  await shown.keyboard.press('s');
  await shown.locator('.sessions .row').first().waitFor();
  await shown.keyboard.press('?');
  await shown.getByRole('dialog', { name: 'Keys' }).waitFor();
  await shown.keyboard.press('Escape');
  await until(async () => await shown.getByRole('dialog').count() === 0, 'the dialog stays');
  const before = await shown.evaluate(() => document.documentElement.dataset.theme);
  await shown.keyboard.press('d');
  holds(await shown.evaluate(() => document.documentElement.dataset.theme) !== before, 'the colours stay');
  await shown.keyboard.press('g');
  await shown.keyboard.press('t');
  await shown.getByRole('heading', { name: 'Health' }).waitFor();
  await shown.keyboard.press('g');
  await shown.keyboard.press('h');
  await shown.locator('.search').waitFor();
});

test('in a session j and k move through messages, o unfolds', async (page) => {
  const shown = await open(await page(at), `/session/${session}`);
  await shown.locator('.message').nth(3).waitFor();
  for (const key of ['j', 'j', 'j', 'k', 'j', 'o']) await shown.keyboard.press(key);
  await becomes(() => shown.evaluate(() => [...document.querySelectorAll('.message')].indexOf(document.activeElement)), 2);
  await shown.locator('.message').nth(2).locator('details[open] pre').first().waitFor();
});

test('dark and light: the system\'s, or the chosen, which is kept', async (page) => {
  const shown = await open(await page({ ...at, colorScheme: 'dark' }));
  const theme = () => shown.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
  same(await theme(), ['dark', 'rgb(23, 22, 20)']);
  await shown.emulateMedia({ colorScheme: 'light' });
  await until(async () => (await theme())[1] === 'rgb(250, 248, 245)', 'the system is not followed');
  await shown.getByRole('button', { name: 'Dark' }).click();
  same((await theme())[0], 'dark');
  await shown.reload();
  same((await theme())[0], 'dark');
});

test('a wrong token, and none, ask for one; what was asked for is shown then', async (page) => {
  const shown = await page(at);
  await shown.goto(`${URL_}/sessions`);
  await shown.getByText('stele token create').waitFor();
  await shown.getByLabel('Token', { exact: true }).fill('wrong');
  await shown.keyboard.press('Enter');
  await until(async () => await shown.getByLabel('Token', { exact: true }).inputValue().catch(() => 'x') === '', 'the form does not come again');
  await shown.getByLabel('Token', { exact: true }).fill(TOKEN);
  await shown.getByLabel('Remember').check();
  await shown.getByRole('button', { name: 'Open' }).click();
  await shown.locator('.sessions .row').first().waitFor();
  same(await shown.evaluate(() => localStorage.getItem('stele.token') !== null), true);
  same(shown.wrong.filter((line) => !/401/.test(line)), []);
  shown.wrong.length = 0; // the browser tells of every 401
});

test('what is not there is told as that', async (page) => {
  const shown = await open(await page(at), '/session/nobody');
  await shown.getByText('There is no session of that id').waitFor();
});

// ---- These write, and so come last ----

test('new messages arrive in the reader and in the list, also after the connection was lost', async (page) => {
  await call('conversation.create_session', { session_id: 'live', source: 'cli' });
  const between = await relay();
  const shown = await open(await page({ url: between.url }), '/session/live');
  await shown.getByText('Nothing was said yet').waitFor();
  await shown.locator('#live', { hasText: 'Live' }).waitFor();
  await call('conversation.append_message', { session_id: 'live', role: 'user', content: 'is anybody there?' });
  await shown.locator('.message', { hasText: 'is anybody there?' }).waitFor();
  await call('conversation.append_message', { session_id: 'live', role: 'assistant', content: 'looking', tool_calls: [{ id: 'c1', function: { name: 'Look', arguments: '{"path":"here"}' } }] });
  await shown.locator('details.tool .pending').waitFor();
  await call('conversation.append_message', { session_id: 'live', role: 'tool', content: 'nobody', tool_call_id: 'c1', tool_name: 'Look' });
  await until(async () => await shown.locator('details.tool .pending').count() === 0, 'the result does not come');
  same(await shown.locator('.message').count(), 2);
  same(await shown.getByText('Nothing was said yet').count(), 0);
  between.cut();
  await shown.locator('#live', { hasText: 'Reconnecting' }).waitFor();
  await call('conversation.append_message', { session_id: 'live', role: 'user', content: 'and while nobody listened?' });
  between.mend();
  await shown.locator('.message', { hasText: 'while nobody listened' }).waitFor();
  same(shown.wrong.filter((line) => !/ERR_(CONNECTION|EMPTY|INCOMPLETE|SOCKET)/.test(line)), []);
  shown.wrong.length = 0; // the browser tells of every connection that is lost
  await shown.close();
  between.close();

  const lately = await open(await page());
  await lately.locator('#live', { hasText: 'Live' }).waitFor();
  const list = await open(await page(), '/sessions');
  await list.locator('#live', { hasText: 'Live' }).waitFor();
  await call('conversation.create_session', { session_id: 'live2', source: 'cli' });
  await call('conversation.append_message', { session_id: 'live2', role: 'user', content: 'a new session speaks' });
  await list.locator('.row', { hasText: 'a new session speaks' }).waitFor();
  await lately.locator('.row', { hasText: 'a new session speaks' }).waitFor();
});

test('ten thousand messages: read in pages, from the start, the end, or the middle', async (page) => {
  const messages = Array.from({ length: 10000 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `number ${i} of many` }));
  await call('conversation.create_session', { session_id: 'long', source: 'cli' });
  await call('conversation.replace_messages', { session_id: 'long', messages });
  const shown = await open(await page(), '/session/long');
  await shown.getByText('number 0 of many').waitFor();
  holds(await shown.locator('.message').count() <= 300, 'too many at once');
  await shown.getByRole('button', { name: 'Last message' }).click();
  await shown.getByText('number 9999 of many').waitFor();
  holds(await shown.locator('.message').count() <= 300, 'too many at once');
  await shown.getByRole('button', { name: 'Earlier messages' }).click();
  await shown.getByText('number 9900 of many').waitFor();
  const [hit] = await call('conversation.search_messages', { query: '"number 5000"' });
  await shown.goto(`${URL_}/session/long#m${hit.id}`);
  await shown.reload();
  await shown.locator('.message.here', { hasText: 'number 5000 of many' }).waitFor();
  await becomes(() => shown.locator('.message.here').evaluate((one) => { const { top } = one.getBoundingClientRect(); return top > 0 && top < innerHeight; }), true);
  const order = await shown.locator('.message .prose').allTextContents();
  same(order.map((text) => Number(text.split(' ')[1])), order.map((_, i) => Number(order[0].split(' ')[1]) + i));
});

await run();
