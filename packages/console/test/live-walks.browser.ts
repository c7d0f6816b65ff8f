import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  CONSOLE_KEY,
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

const FLOOD = 700;
/** Of the page's main thread for a flood whose rows only wait: a millisecond a row, a drawer that opens included. */
const MOST_WORK_S = FLOOD / 1000;

let harness: ConsoleHarness;

before(async () => {
  harness = await startConsoleHarness();
  for (let n = 0; n < 30; n += 1) await harness.chat('sandbox/echo');
  await waitForWrittenRows(harness, '', 30);
});
after(() => harness.close());

/** Requests by some clients at once: their ids, and how many were made in a second. */
async function flood(
  count: number,
): Promise<{ readonly ids: readonly string[]; readonly perSecond: number }> {
  const ids: string[] = [];
  let left = count;
  const start = performance.now();
  const one = async () => {
    for (; left > 0; ) {
      left -= 1;
      ids.push(await harness.chat('sandbox/echo'));
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  return { ids, perSecond: Math.round((count * 1000) / (performance.now() - start)) };
}

/** Ids of every row of the list, by scrolling through it from its start to where there is nothing more to load. */
async function rowsListed(page: Page): Promise<Set<string>> {
  const listed = new Set<string>();
  await page.evaluate(() => document.querySelector('[data-scroll]')?.scrollTo({ top: 0 }));
  return eventually(async () => {
    const { ids, places } = await page.evaluate(readAndScroll);
    for (const id of ids) listed.add(id);
    const hasMore = await page.getByRole('button', { name: 'Load more' }).count();
    if (hasMore === 0 && listed.size >= places) return listed;
    throw new Error(`the end of the list was not reached: ${listed.size} rows of ${places}`);
  });
}

/**
 * In the page: ids of the rows in the document, and how many there are in all; brings the last of these rows that is in
 * view to the top. However late rows are drawn, what comes next begins with one that was read: none is passed by.
 */
function readAndScroll() {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const inView = rows.filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  const indexOf = ({ dataset }: HTMLElement) => Number(dataset['index']);
  inView
    .sort((a, b) => indexOf(a) - indexOf(b))
    .at(-1)
    ?.scrollIntoView({ block: 'start' });
  return {
    ids: rows.map(({ dataset }) => dataset['row'] ?? ''),
    places: Number(document.querySelector('[role=table]')?.getAttribute('data-rows')),
  };
}

/** Has the rows that waited shown: by the key, on a phone by what says how many wait. */
async function resume(page: Page, isPhone: boolean): Promise<void> {
  // On a phone, where no pointer holds it, the list may already have resumed automatically.
  // It may also have resumed in the meantime, so that only some of the rows are waiting.
  const pill = page.getByRole('button', { name: /^Show \d+ new requests?$/ });
  if (!isPhone) await page.keyboard.press('l');
  await eventually(async () => {
    if ((await page.title()) === 'Requests · Floe') return true;
    if (isPhone) await pill.tap({ timeout: 1_500 }).catch(() => undefined);
    return undefined;
  });
}

async function holdsAll(page: Page, ids: readonly string[]): Promise<void> {
  const listed = await rowsListed(page);
  assert.deepEqual(
    ids.filter((one) => !listed.has(one)),
    [],
    'each of them is in the list',
  );
}

/** Holds the processor time of the page's main thread from here on to its limit: no wall clock, so no other load. */
async function workMeter(page: Page): Promise<(what: string) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const now = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await now();
  return async (what) => {
    const seconds = (await now()) - before;
    process.stdout.write(`# ${what}, ${seconds.toFixed(2)} s of work\n`);
    assert.ok(seconds < MOST_WORK_S, `${seconds} s of work for ${FLOOD} rows that only wait`);
  };
}

/** It comes to lie there: only the reader moves rows. */
async function liesAt(row: Locator, top: number): Promise<void> {
  await eventually(async () => {
    assert.equal(await topOf(row), top, 'only the reader moves rows');
    return true;
  });
}

async function topOf(row: Locator): Promise<number> {
  return Math.round((await row.boundingBox())?.y ?? Number.NaN);
}

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`a flood moves no row that somebody reads, is counted exactly, and nothing of it is lost: ${name}`, async () => {
    const isPhone = 'phone' in look;
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h', look);
    await page.locator('[data-row]').nth(5).waitFor();
    const row = page.locator('[data-row]').nth(3);
    const id = await row.getAttribute('data-row');
    const same = page.locator(`[data-row="${id}"]`);
    const at = await topOf(same);
    await row.click();
    await page.waitForURL(/open=exc_/);
    const hasWorkedLittle = await workMeter(page);
    // In the instant in which the list has only just opened, and while it is read.
    const { ids, perSecond } = await flood(FLOOD);
    await page.waitForFunction((count) => document.title === `(${count}) Requests · Floe`, FLOOD);
    await hasWorkedLittle(`${name}: ${perSecond} requests a second`);
    assert.equal(await topOf(same), at, 'the row stayed where it was');
    if (!isPhone) {
      await page.mouse.wheel(0, 300);
      await liesAt(same, at - 300);
    }
    if (!isPhone) await takeScreenshot(page, `walk-12-paused-${name}`);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('open'));
    if (!isPhone) await page.locator('[data-row]').nth(8).hover();
    if (!isPhone) await assertAccessible(page);
    await resume(page, isPhone);
    await holdsAll(page, ids);
    await takeScreenshot(page, `walk-12-resumed-${name}`);
    assert.deepEqual(faults, []);
    await context.close();
  });

test('a flood that begins in the instant the stream opens is counted exactly, with filters and without', async () => {
  for (const filter of ['', '&key=agents']) {
    const { page, context } = await openConsolePage(harness, '/o/acme/overview');
    const [{ ids: early }] = await Promise.all([
      flood(60),
      page.goto(`${harness.url}/o/acme/requests?range=1h${filter}`),
    ]);
    await page.locator('[data-row]').first().waitFor();
    await page.locator('[data-row]').nth(2).hover();
    const shown = new Set(await rowsInDocument(page));
    const { ids } = await flood(200);
    const all = [...early, ...ids];
    // What is shown already and what waits are all there is, once each.
    await page.waitForFunction(
      ([made, before]) => {
        const [, waiting] = /^\((\d+)\)/.exec(document.title) ?? [];
        return Number(waiting) >= Number(made) - Number(before);
      },
      [all.length, early.length] as const,
    );
    const waiting = Number(/^\((\d+)\)/.exec(await page.title())?.[1]);
    const unseen = all.filter((id) => !shown.has(id)).length;
    const within = [ids.length, unseen];
    assert.ok(waiting >= (within[0] ?? 0) && waiting <= (within[1] ?? 0), `${waiting} wait, of ${within}`);
    await context.close();
  }
});

/** Ids of every request there is. */
async function rowsInAll(): Promise<readonly string[]> {
  const answer = await callHttp(`${harness.floe.url}/api/analytics/export?format=ndjson`, {
    headers: { 'x-api-key': CONSOLE_KEY },
  });
  return answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
}

function rowsInDocument(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[data-row]')].map((row) => row.getAttribute('data-row') ?? ''),
  );
}

test('when the server falls, the list says so; when it is back, the gap is filled and no request stands twice', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  await page.locator('[data-row]').nth(5).waitFor();
  const before = await harness.chat('sandbox/echo');
  await page.locator(`[data-row="${before}"]`).waitFor();
  await harness.crash?.();
  await page.getByRole('button', { name: /^Reconnecting, last update \d\d:\d\d:\d\d$/ }).waitFor();
  await takeScreenshot(page, 'walk-13-reconnecting-desktop-light');
  await assertAccessible(page);
  // What comes before the page has found back is the gap.
  await context.route('**/api/**', (route) => route.abort('connectionrefused'));
  await harness.restartAfterCrash?.();
  const { ids } = await flood(150);
  await context.unroute('**/api/**');
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  await page.locator(`[data-row="${ids.at(-1)}"]`).waitFor();
  const listed = await rowsListed(page);
  const written = await rowsInAll();
  assert.equal(listed.size, written.length, 'every request, and no more');
  const places = await page.evaluate(() => document.querySelector('[role=table]')?.getAttribute('data-rows'));
  assert.equal(Number(places), written.length, 'no id stands twice');
  assert.deepEqual(
    [before, ...ids].filter((id) => !listed.has(id)),
    [],
  );
  assert.deepEqual(
    faults.filter((fault) => !/Failed to fetch|net::/.test(fault)),
    [],
  );
  await context.close();
});
