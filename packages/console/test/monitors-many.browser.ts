import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { after, before, type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import type { Page } from 'playwright-core';
import { updateStore } from './backdate-store.ts';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  CONSOLE_KEY,
  openConsolePage,
  type RestartableHarness,
  startConsoleHarness,
} from './console-harness.ts';
import { recordLongTasks } from './long-tasks.ts';

/** Ten thousand monitors: what a list costs does not depend on how many there are. */
const MANY = 10_000;
const TURNS = 80;
/** A task that keeps the page from answering anybody. */
const LONG_MS = 50;
const headers = { 'x-api-key': CONSOLE_KEY };
/** Figures of a page with a handful of monitors, to compare with. */
let few: Figures & { readonly long: number };
let harness: RestartableHarness;

const monitors = (path: string, body: object) =>
  callHttp(`${harness.floe.url}/api/monitoring/monitors${path}`, { headers, body });

/** Copies of one monitor, each hundredth failing, with a day of history; in one transaction. */
function fill(database: DatabaseSync) {
  const uid = String(database.prepare(`select uid from monitors where id = 'job'`).get()?.['uid']);
  const numbered = new Set(['uid', 'id', 'name', 'token_hash']);
  const copies = (table: string, changed: Readonly<Record<string, string>>) => {
    const listed = database.prepare(`select name from pragma_table_info('${table}')`).all();
    const columns = listed.map(({ name }) => String(name));
    const picked = columns.map(
      (column) => changed[column] ?? (numbered.has(column) ? `${column} || '-' || n.n` : column),
    );
    database.exec(`insert into ${table} (${columns.join()})
      with recursive n(n) as (select 1 union all select n + 1 from n where n < ${MANY - 2})
      select ${picked.join()} from ${table} cross join n where uid = '${uid}'`);
  };
  const day = Date.now() - 86_400_000;
  copies('monitors', { created_at: 'created_at - n.n' });
  copies('monitor_clocks', {
    status: `case when n.n % 100 = 0 then 'failing' else 'healthy' end`,
    failing_since: `case when n.n % 100 = 0 then ${Date.now()} - n.n * 1000 end`,
    due_at: 'due_at + n.n * 1000',
  });
  for (const [hours, status] of [
    [0, 'healthy'],
    [9, 'failing'],
    [11, 'healthy'],
  ] as const)
    database.exec(`insert or ignore into monitor_periods (uid, started_at, status, reason)
      select uid, ${day + hours * 3_600_000}, '${status}', 'beat' from monitors where id <> 'job'`);
}

interface Figures {
  readonly nodes: number;
  readonly cpu: number;
}

/** What the page asked of monitoring since it was opened, and its own count of work. */
interface Watched {
  readonly asked: URL[];
  readonly lists: () => readonly URL[];
  readonly figures: () => Promise<Figures>;
}

async function watch(page: Page, path: string): Promise<Watched> {
  const asked: URL[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith('/api/monitoring/')) asked.push(url);
  });
  const devtools = await page.context().newCDPSession(page);
  // Of the thread, not of the wall: a busy machine is not what is measured.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(harness.url + path);
  return {
    asked,
    lists: () => asked.filter(({ pathname }) => pathname === '/api/monitoring/monitors'),
    async figures() {
      const { metrics } = await devtools.send('Performance.getMetrics');
      const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
      return {
        nodes: await page.evaluate<number>('document.querySelectorAll("*").length'),
        cpu: of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration'),
      };
    },
  };
}

/** A page with its rows and their last day on it. */
async function opened(path = '/o/acme/monitors') {
  const opening = await openConsolePage(harness, '/healthz');
  const watched = await watch(opening.page, path);
  await opening.page.locator('[data-row]').first().waitFor();
  await opening.page.locator('[data-row] svg[aria-label^="Last 24 hours"]').first().waitFor();
  return { ...opening, watched };
}

/** The same, with what it cost to come to that. */
async function openedAtCost() {
  const opening = await openConsolePage(harness, '/healthz');
  const longTasks = await recordLongTasks(opening.page, LONG_MS);
  const watched = await watch(opening.page, '/o/acme/monitors');
  await opening.page.locator('[data-row] svg[aria-label^="Last 24 hours"]').first().waitFor();
  const long = (await longTasks()).length;
  return { ...opening, watched, figures: { ...(await watched.figures()), long } };
}

/** Waits until an expression holds in the page, whose policy lets nothing in it evaluate text. */
async function until(page: Page, holds: string): Promise<void> {
  await eventually(async () => {
    assert.ok(await page.evaluate<boolean>(`Boolean(${holds})`), `never: ${holds}`);
    return true;
  });
}

const tellFigures = (t: TestContext, what: string, figures: object) =>
  t.diagnostic(`${what}: ${JSON.stringify(figures)}`);

before(async () => {
  harness = await startConsoleHarness();
  await monitors('', { id: 'job', name: 'Job', expected_interval_minutes: 1440 });
  await callHttp(`${harness.floe.url}/api/monitoring/heartbeat`, { headers, body: { monitor_id: 'job' } });
  const { context, figures } = await openedAtCost();
  few = figures;
  await context.close();
  updateStore(harness.floe.dataDir, fill);
});
after(() => harness.close());

test('ten thousand monitors open like two: a page of rows, counts from the server, and what fails on top', async (t) => {
  const { page, context, faults, watched, figures } = await openedAtCost();
  const table = page.getByRole('table', { name: 'Monitors' });
  await page.getByRole('button', { name: '99 failing' }).waitFor();
  assert.equal(await table.getAttribute('aria-rowcount'), String(MANY));
  assert.match(await page.locator('[data-row]').first().innerText(), /job-9900/i);
  tellFigures(t, 'with 2', few);
  tellFigures(t, `with ${MANY}`, figures);
  for (const url of watched.lists()) assert.ok(Number(url.searchParams.get('limit')) <= 100, url.search);
  // The second is what a stream asks for that opens after the first.
  assert.ok(watched.lists().length <= 2, watched.lists().join('\n'));
  const standing = watched.asked.filter(({ pathname }) => pathname.endsWith('/monitoring/status'));
  assert.ok(standing.length <= 4, standing.join('\n'));
  const rows = await page.locator('[data-row]').count();
  assert.ok(rows <= 60, `${rows} rows in the document`);
  assert.ok(figures.nodes <= few.nodes + rows * 60, `${figures.nodes} elements`);
  assert.ok(figures.cpu <= few.cpu * 4, `${figures.cpu} s of work, ${few.cpu} with two`);
  assert.ok(figures.long <= few.long + 4, `${figures.long} long tasks, ${few.long} with two`);
  await takeScreenshot(page, 'monitors-10000');
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('scrolling reads one page after the other, keeps few rows in the document, and moves none under the reader', async (t) => {
  const { page, context, faults, watched } = await opened();
  const before = await watched.figures();
  const longTasks = await recordLongTasks(page, LONG_MS);
  await page.mouse.move(700, 600);
  for (let turn = 0; turn < TURNS; turn += 1) {
    await page.mouse.wheel(0, 200);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
  const deepest = async () => Number(await page.locator('[data-row]').last().getAttribute('data-index'));
  await until(page, '[...document.querySelectorAll("[data-index]")].some((row) => +row.dataset.index > 300)');
  const after = await watched.figures();
  const work = { cpu: after.cpu - before.cpu, long: (await longTasks()).length };
  tellFigures(t, `${TURNS} turns of the wheel`, work);
  assert.ok(watched.lists().length <= 2 + Math.ceil((await deepest()) / 100) + 1, watched.lists().join('\n'));
  assert.ok((await page.locator('[data-row]').count()) <= 60);
  assert.ok(after.nodes <= before.nodes + 30 * 30, `${after.nodes} elements, ${before.nodes} before`);
  assert.ok(work.long <= TURNS / 6, `${work.long} long tasks in ${TURNS} turns`);
  // Somebody else pauses one that is in view: it changes where it stands, and only what is in view is asked for.
  const inView = page.locator('[data-row]').nth(20);
  const id = (await inView.getAttribute('data-row')) ?? '';
  const order = await page.locator('[data-row]').evaluateAll((rows) => rows.map((row) => row.dataset['row']));
  const askedBefore = watched.lists().length;
  assert.equal((await monitors(`/${id}/pause`, {})).status, 200);
  await page.locator(`[data-row="${id}"]`).getByText('Paused').waitFor();
  const asked = watched.lists().slice(askedBefore);
  for (const url of asked) assert.ok((url.searchParams.get('ids') ?? '').split(',').includes(id), url.search);
  assert.deepEqual(
    await page.locator('[data-row]').evaluateAll((rows) => rows.map((row) => row.dataset['row'])),
    order,
  );
  assert.deepEqual(faults, []);
  await context.close();
});

test('names, states and tags are searched by the server, and the link says what is shown', async () => {
  const { page, context, faults, watched } = await opened();
  await page.getByLabel('Filter').fill('job-4711');
  await page.keyboard.press('Enter');
  await until(page, 'document.querySelectorAll("[data-row]").length === 1');
  assert.equal(watched.lists().at(-1)?.searchParams.get('search'), 'job-4711');
  assert.match(page.url(), /search=job-4711/);
  await page.getByRole('button', { name: 'Remove filter name' }).click();
  await page.getByRole('button', { name: '99 failing' }).click();
  await eventually(() => {
    assert.equal(watched.lists().at(-1)?.searchParams.get('status'), 'failing');
    return true;
  });
  await eventually(async () => {
    const states = await page.locator('[data-row] [data-column="state"]').allInnerTexts();
    assert.ok(states.length > 10 && states.every((text) => !text.includes('Healthy')), states.join());
    return true;
  });
  assert.deepEqual(faults, []);
  await context.close();
});

test('a selection is paused, muted and tagged at once; what stands in the file is named, not changed', async () => {
  const { page, context, faults, watched } = await opened('/o/acme/monitors?search=job-571');
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-index="2"]:focus').waitFor();
  await page.keyboard.press('Shift+X');
  const bar = page.getByRole('region', { name: 'Selected monitors' });
  await bar.getByText('3 selected').waitFor();
  await takeScreenshot(page, 'monitors-selection');
  await assertAccessible(page);
  await bar.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('3 monitors are paused.').first().waitFor();
  const paused = page.locator('[data-column="state"]').getByText('Paused');
  await paused.nth(2).waitFor();
  assert.equal(await paused.count(), 3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(
    page,
    '![...document.querySelectorAll("[data-column=state]")].some((one) => one.textContent.includes("Paused"))',
  );
  assert.equal(watched.asked.filter(({ pathname }) => /\/(pause|resume)$/.test(pathname)).length, 0);
  await page.goto(`${harness.url}/o/acme/monitors?search=backup`);
  await page.getByLabel('Select Nightly backup').check();
  await bar.getByRole('button', { name: 'Mute…' }).click();
  await page.getByRole('menuitem', { name: 'Mute for 8 hours' }).click();
  await page.getByText('Status changes are still recorded.').first().waitFor();
  await page.getByLabel('Select Nightly backup').check();
  await bar.getByRole('button', { name: 'Edit tags…' }).click();
  await page.getByLabel('Add tags').fill('db');
  await page.getByRole('button', { name: 'Save tags' }).click();
  await page.getByText('1 monitor was not changed.').waitFor();
  await page.getByText(/is defined in floe\.yaml/).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a board of five hundred is edited with the rows in sight; names are asked for side by side', async () => {
  const ids = Array.from({ length: 500 }, (_, n) => `job-${n + 1}`);
  const board = { slug: 'many', name: 'Many', groups: [{ name: 'All', monitors: ids }] };
  await callHttp(`${harness.floe.url}/api/monitoring/boards`, { headers, body: board });
  const { page, context, faults } = await openConsolePage(harness, '/healthz');
  const order: string[] = [];
  const isNames = (url: string) => new URL(url).searchParams.has('ids');
  page.on('request', (request) => isNames(request.url()) && order.push('asked'));
  page.on('response', (answer) => isNames(answer.url()) && order.push('answered'));
  await page.goto(`${harness.url}/o/acme/boards/many/edit`);
  const handles = page.getByRole('button', { name: /^Move / });
  await handles.first().waitFor();
  await page.getByTitle('Preview of the board').waitFor();
  assert.deepEqual(order.slice(0, 5), new Array(5).fill('asked'));
  assert.ok((await handles.count()) <= 120, `${await handles.count()} handles`);
  await page.evaluate(`document.querySelector('[data-scroll]').scrollTop = 1e6, 0`);
  const last = page.getByRole('button', { name: /position 500 of 500$/ });
  await last.press('Alt+ArrowUp');
  await page.getByText(/, position 499 of 500$/).waitFor({ state: 'attached' });
  assert.match(
    String(await page.evaluate('document.activeElement.getAttribute("aria-label")')),
    /position 499 of 500$/,
  );
  assert.deepEqual(faults, []);
  await context.close();
});

test('overview and guide count the monitors and read a handful of them at most', async () => {
  for (const [path, shown] of [
    ['/o/acme/overview', /Requests/],
    ['/o/acme/overview?guide=1', /Monitor a job/],
  ] as const) {
    const opening = await openConsolePage(harness, '/healthz');
    const watched = await watch(opening.page, path);
    await opening.page.getByText(shown).first().waitFor();
    await until(
      opening.page,
      'performance.getEntriesByType("resource").some(({ name }) => /overview|standing/.test(name))',
    );
    for (const url of watched.lists())
      assert.ok(Number(url.searchParams.get('limit') ?? 50) <= 5, url.search);
    assert.deepEqual(opening.faults, []);
    await opening.context.close();
  }
});
