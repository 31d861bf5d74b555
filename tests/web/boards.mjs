// The views over all stores, with something in each: node boards.mjs NOW SESSION

import { becomes, BOARDS, call, finished, holds, open, run, same, tells, test, until, URL_ } from './browser.mjs';

const [now] = process.argv.slice(2);
const at = { now: Number(now) };
const part = (shown, title) => shown.getByRole('region', { name: title, exact: true });

// An address shows the same again: what `read` reads of the view is the same behind a reload.
async function reproduced(shown, read) {
  const before = await read();
  await shown.reload();
  await becomes(read, before);
}

// ---- Recall ----

test('recall finds in every store, says why, filters, and its link shows the same', async (page) => {
  const shown = await open(await page(at), '/recall');
  await part(shown, 'Lately, in all stores').locator('.row').first().waitFor();
  await shown.locator('#q').fill('locked frost');
  const hits = part(shown, 'Found').locator('.hit');
  await hits.first().waitFor();
  await shown.locator('#q').fill('locked');
  await until(async () => (await hits.allInnerTexts()).some((text) => text.includes('conversation message')) && (await hits.allInnerTexts()).some((text) => text.includes('assistant note')),
    'not every store is searched');
  const why = hits.first().locator('details');
  await why.locator('summary').click();
  await why.getByText('Recency').waitFor();
  await until(async () => /place 1, score [\d.]+/.test(await why.innerText()), 'the first hit is not the first by words'); // what was found before may still be there
  await shown.locator('#choose-store').selectOption('assistant');
  await until(async () => await hits.count() === 1, 'the store does not filter');
  await becomes(() => new URL(shown.url()).search, '?q=locked&store=assistant');
  await reproduced(shown, () => hits.locator('.snippet').allInnerTexts());
  await shown.getByRole('button', { name: '7 days' }).click(); // the note is older
  await part(shown, 'Found').getByText('Nothing in any store').waitFor();
});

test('a hit opens whole, with what happened around it; a message leads into its session', async (page) => {
  const shown = await open(await page(at), '/recall?q=jitter+spreads&store=conversation');
  await shown.locator('.hit a').first().waitFor();
  await shown.keyboard.press('Escape');
  await shown.keyboard.press('j');
  await shown.keyboard.press('Enter');
  await part(shown, 'All of it').getByText('full jitter spreads the load').waitFor();
  const around = part(shown, 'What happened around it').locator('.row');
  await around.first().waitFor();
  await becomes(() => around.and(shown.locator('.here')).count(), 1);
  await until(async () => await around.count() > 5, 'little happened');
  await shown.getByRole('link', { name: 'In its session' }).click();
  await shown.locator('.message.here', { hasText: 'full jitter' }).waitFor();
});

// ---- Assistant ----

test('an approval is confirmed exactly once, by two clicks and in two tabs', async (page) => {
  const shown = await open(await page(at), '/assistant');
  const other = await open(await page(at), '/assistant');
  const row = (where, text) => part(where, 'Approvals').locator('.row', { hasText: text });
  const claims = [];
  for (const one of [shown, other]) {
    await row(one, 'tide tables').waitFor();
    one.on('response', (answer) => { if (answer.url().endsWith('/claim_pending_action')) claims.push(answer.status()); });
  }
  await row(shown, 'tide tables').getByText('What the tool gets').click();
  await row(shown, 'tide tables').getByText('ada@example.org').waitFor();
  const confirm = (where) => row(where, 'tide tables').getByRole('button', { name: 'Confirm' });
  await Promise.all([confirm(shown).evaluate((button) => { button.click(); button.click(); }), confirm(other).evaluate((button) => button.click())]);
  await until(async () => await row(shown, 'tide tables').count() + await row(other, 'tide tables').count() === 0, 'it still waits');
  await becomes(() => claims.sort(), [200, 400]);
  same((await call('assistant.get_pending_action', { id: 'mail' })).status, 'confirmed');
  const told = async () => [await shown.locator('.told').innerText(), await other.locator('.told').innerText()].sort();
  await until(async () => (await told())[0] === 'Confirmed: Send the tide tables to Ada?' && (await told())[1].includes('is confirmed'), 'it is not told who confirmed it');
  for (const one of [shown, other]) one.wrong = one.wrong.filter((line) => !/400/.test(line)); // the browser tells of what was refused

  await row(other, 'Sow the beans').getByRole('button', { name: 'Cancel' }).click();
  await row(shown, 'Sow the beans').waitFor({ state: 'detached' }); // without anybody asking
  same((await call('assistant.get_pending_action', { id: 'plant' })).status, 'cancelled');
});

test('the assistant shows tasks, reminders, notes, and when schedules fire next', async (page) => {
  const shown = await open(await page(at), '/assistant');
  holds(/next \w+ \d+, \d{4}, \d+:00/.test(await part(shown, 'Schedules').locator('.row', { hasText: 'Morning report' }).innerText()), 'no next time');
  await part(shown, 'Reminders').getByText('The ferry leaves at six').waitFor();
  const task = part(shown, 'Tasks').locator('.row', { hasText: 'Sow the beans' });
  await task.getByRole('button', { name: 'Done' }).click();
  await task.locator('.state.good').waitFor();
  same((await call('assistant.list_tasks', { status: 'todo' })).length, 0);
  const notes = part(shown, 'Notes').locator('.row');
  await becomes(() => notes.count(), 2);
  await shown.getByRole('button', { name: '7 days' }).click();
  await until(async () => await notes.count() === 1, 'the notes do not follow the time range');
  await reproduced(shown, () => notes.allInnerTexts());
});

// ---- Planner ----

test('plans are trees; a learning is promoted, another discarded, what is open is resolved', async (page) => {
  const shown = await open(await page(at), '/planner');
  const plan = part(shown, 'Plans').locator('.rows > .branch');
  await plan.first().waitFor();
  await becomes(() => new URL(shown.url()).search, '?session=harbour');
  await becomes(() => plan.count(), 1);
  await tells(() => plan.locator('.branch').innerText(), ['migrate the stations']);
  await plan.getByText('412 passed').first().waitFor();
  const learning = (text) => part(shown, 'Learnings to judge').locator('.row', { hasText: text });
  await learning('need a database').getByLabel('Category').selectOption('project');
  await learning('need a database').getByRole('button', { name: 'Promote' }).click();
  const fact = part(shown, 'Facts').locator('.row', { hasText: 'The tests need a database' });
  await fact.waitFor();
  await tells(() => fact.innerText(), ['100 % sure']);
  await learning('Ada answers').getByRole('button', { name: 'Discard' }).click();
  await part(shown, 'Learnings to judge').getByText('Nothing is to be judged').waitFor();
  same((await call('planner.get_facts', { is_admin: true, category: 'project' })).map((one) => one.content), ['Deploys run at night', 'The tests need a database']);
  await part(shown, 'Open').locator('.row', { hasText: 'Which port' }).getByRole('button', { name: 'Resolve' }).click();
  await until(async () => await part(shown, 'Open').locator('.row').count() === 1, 'it is still open');
  await reproduced(shown, () => part(shown, 'Plans').innerText());
});

// ---- Health ----

test('an alarm is acknowledged, with a note; sources, queues, losses, stores and the index are told', async (page) => {
  const shown = await open(await page(at), '/health');
  const alarm = part(shown, 'Alarms').locator('.row', { hasText: 'browser' });
  await alarm.getByLabel('Note').fill('the browser was closed');
  await alarm.getByRole('button', { name: 'Acknowledge' }).click();
  await alarm.waitFor({ state: 'detached' });
  await becomes(() => part(shown, 'Alarms').locator('.row').count(), 1);
  same((await call('capture.list_alarms', { state: 'acked' })).map((one) => [one.source, one.ack_note]), [['browser', 'the browser was closed']]);
  for (const [title, words] of [['Sources', 'shell'], ['Queues', 'workflow'], ['Lost', 'full'], ['The server', 'planner'], ['Index', 'assistant']]) {
    await part(shown, title).locator('td, th', { hasText: words }).first().waitFor();
  }
  await part(shown, 'The server').getByText('No backups are made').waitFor();
});

// ---- Telemetry ----

const figures = (shown) => shown.locator('figcaption output').allInnerTexts();

test('plots of calls, errors and latency follow the time range, and a link shows the same', async (page) => {
  const shown = await open(await page(at), '/telemetry?since=7d');
  await shown.locator('.plot canvas').nth(2).waitFor();
  const drawn = () => shown.locator('.plot canvas').evaluateAll((all) => all.map((canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0)));
  await becomes(drawn, [true, true, true]);
  await becomes(async () => (await figures(shown))[0], '600 calls in all');
  await shown.getByRole('button', { name: '24 hours' }).click();
  await until(async () => (await figures(shown))[0] === '480 calls in all', 'the plot does not follow the time range');
  await becomes(() => shown.locator('.plot').first().getAttribute('aria-label'), 'Calls per minute over time, 480 calls in all');
  await until(async () => /^99 of 100 within \d+ ms$/.test((await figures(shown))[2]), 'the latency is not told');
  await reproduced(shown, () => figures(shown));
  await part(shown, 'Slow handlers').locator('tbody tr').first().waitFor();
  const took = (await part(shown, 'Slow handlers').locator('tbody td:nth-child(4)').allInnerTexts()).map(parseFloat);
  same(took, [...took].sort((a, b) => b - a));
  await tells(() => part(shown, 'Sessions and restarts').innerText(), ['running']);
  await part(shown, 'Errors').locator('tbody tr').first().waitFor();
});

// ---- Timeline ----

test('the timeline has shells, tools, agents, pages and CI, by day, and what is chosen of it', async (page) => {
  const shown = await open(await page(at), '/timeline?since=7d');
  const kinds = () => shown.locator('.day .role').allInnerTexts();
  await until(async () => (await kinds()).length > 0, 'nothing happened');
  await becomes(async () => [...new Set(await kinds())].sort(), ['agent', 'browser', 'ci', 'shell', 'tool']);
  await until(async () => await shown.locator('.day').count() > 1, 'days are not told apart');
  await shown.getByRole('button', { name: 'CI', exact: true }).click();
  await until(async () => (await kinds()).every((kind) => kind === 'ci'), 'the kind does not filter');
  await shown.getByRole('button', { name: 'Browser' }).click();
  await until(async () => (await kinds()).join() === 'browser,ci', 'two kinds do not filter');
  await becomes(() => new URL(shown.url()).search, '?kind=ci&kind=browser&since=7d');
  await reproduced(shown, kinds);
  await call('capture.insert_browser_event', { url: 'https://docs.example/new', title: 'A new page', domain: 'docs.example', timestamp: new Date(Number(now) * 1000 - 1000).toISOString() });
  await shown.locator('.row', { hasText: 'A new page' }).waitFor(); // without anybody asking
  await shown.getByRole('link', { name: 'Write-ahead logging' }).click();
  await part(shown, 'All of it').getByText('Readers never wait for a writer').waitFor();
});

// ---- Knowledge ----

test('knowledge: nodes are found, entities are drawn with what belongs to them, lessons are told', async (page) => {
  const shown = await open(await page(at), '/knowledge');
  const nodes = part(shown, 'Nodes').locator('.row');
  await until(async () => await nodes.count() === 2, 'nothing was learned');
  await part(shown, 'Lessons').getByText('Shorter lines').waitFor();
  await part(shown, 'Entities').getByRole('link', { name: 'pytest' }).click();
  const graph = part(shown, 'Belongs together').locator('svg.graph');
  await graph.waitFor();
  await becomes(() => graph.locator('line').count(), 2);
  await until(async () => await nodes.count() === 1, 'the entity does not filter');
  await reproduced(shown, () => graph.locator('text').allInnerTexts());
  await graph.getByRole('link', { name: /^lighthouse:/ }).click();
  await until(async () => await graph.locator('line').count() === 4, 'the other entity is not drawn');
  await until(async () => await nodes.count() === 2, 'its nodes are not shown');
  await shown.locator('#q').fill('migration');
  await until(async () => await nodes.count() === 1, 'the words do not filter');
});

// ---- All of them ----

test('every view has its JSON', async (page) => {
  const shown = await open(await page(at), '/health');
  for (const view of BOARDS) {
    await shown.goto(`${URL_}${view}`);
    await finished(shown);
    await shown.getByRole('link', { name: 'JSON' }).first().click();
    await shown.locator('pre.body').waitFor();
    JSON.parse(await shown.locator('pre.body').innerText());
  }
});

await run();
