import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  CONSOLE_KEY,
  openConsolePage,
  type RestartableHarness,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

/** Acceptance walk 17: one number, whoever counts it, and days that add up in any zone. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CENT = 10_000_000;
/** Rows stand at odd moments, half-hours among them, so that no zone's days begin between two of them by chance. */
const ROWS = 480;

let harness: RestartableHarness;
let total = 0;

async function keyIds(url: string): Promise<ReadonlyMap<string, string>> {
  const body = (
    await callHttp(`${url}/api/management/keys?limit=50`, { headers: { 'x-api-key': CONSOLE_KEY } })
  ).json();
  const rows = isJsonObject(body) && Array.isArray(body['data']) ? body['data'] : [];
  return new Map(
    rows.flatMap((row) => (isJsonObject(row) ? [[String(row['name']), String(row['id'])]] : [])),
  );
}

/** What a server that died had not told its database: requests of 60 days, at whole cents. */
function leaveRows(dataDir: string, keys: ReadonlyMap<string, string>): void {
  const now = Date.now();
  const lines = Array.from({ length: ROWS }, (_, n) => {
    const name = n % 3 === 0 ? 'ci' : 'agents';
    const cents = 1 + ((n * 7) % 90);
    const at = now - Math.floor((n / ROWS) * 60 * DAY_MS) - 61_000 - (n % 7) * 13 * 60_000;
    if (at >= now - 30 * DAY_MS) total += cents;
    return JSON.stringify({
      ...ROW,
      id: `exc_left_${n}`,
      created_at: at,
      key_name: name,
      key_id: keys.get(name),
      cost_nano_usd: cents * CENT,
    });
  });
  mkdirSync(join(dataDir, 'spool'), { recursive: true });
  writeFileSync(join(dataDir, 'spool', 'rows-000000900.jsonl'), `${lines.join('\n')}\n`);
}

const ROW = {
  org_id: 'acme',
  surface: 'chat',
  route_mode: 'unified',
  team: null,
  owner: null,
  end_user: null,
  model_requested: 'sandbox/echo',
  provider: 'sandbox',
  model: 'echo',
  stream: 0,
  status: 200,
  state: 'complete',
  error_code: null,
  error_source: null,
  finish_reason: 'stop',
  input_tokens: 12,
  cached_tokens: 0,
  cache_write_tokens: null,
  output_tokens: 3,
  reasoning_tokens: null,
  usage_source: 'provider',
  cost_source: 'table',
  saved_nano_usd: null,
  cache: null,
  latency_ms: 90.5,
  first_token_ms: null,
  overhead_ms: 0.5,
  request_bytes: 160,
  response_bytes: 400,
  client: null,
  session: null,
  prompt_saved_nano_usd: null,
  metadata_json: null,
  dropped_json: null,
  attempts_json: '[]',
  decisions_json: '[]',
};

const usd = (cents: number) => (cents / 100).toFixed(2);
/** `$1,234.56` in cents. */
const centsIn = (text: string) =>
  Math.round(Number(/\$([\d,]+\.\d+|\d+)/.exec(text)?.[1]?.replaceAll(',', '') ?? Number.NaN) * 100);

const cell = (page: Page, row: string) =>
  page
    .getByRole('region', { name: /^Spend by/ })
    .getByRole('row', { name: new RegExp(`^${row} `) })
    .getByRole('cell')
    .first();

async function downloaded(page: Page, press: () => Promise<void>): Promise<readonly (readonly string[])[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const text = readFileSync((await download.path()) ?? '', 'utf8');
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
}

function sumOf(lines: readonly (readonly string[])[], column: string): number {
  const [head = [], ...rows] = lines;
  return rows.reduce((sum, row) => sum + Number(row[head.indexOf(column)] ?? 0), 0);
}

/** The beginning of the day of a zone in which a moment lies, found by looking. */
function dayStart(zone: string, at: number): number {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const minute = Math.floor(at / 60_000) * 60_000;
  for (let back = minute; ; back -= 15 * 60_000) {
    const quarter = back - (back % (15 * 60_000));
    if (day.format(quarter - 1) !== day.format(at)) return quarter;
  }
}

before(async () => {
  harness = await startConsoleHarness();
  const keys = await keyIds(harness.floe.url);
  await harness.restart((dataDir) => leaveRows(dataDir, keys));
  await waitForWrittenRows(harness, '', 400);
});
after(() => harness.close());

test('spend by key over 30 days is one number: the rows, their total, the file, the requests and their export', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/analytics?range=30d&by=key');
  await page
    .getByText(/–\d+ \w+: \$/)
    .first()
    .waitFor();
  const rows = await Promise.all(
    ['agents', 'ci', 'Total'].map(async (name) => centsIn(await cell(page, name).innerText())),
  );
  const [agents = 0, ci = 0, sum = 0] = rows;
  assert.equal(agents + ci, sum);
  assert.equal(sum, total);
  await page.locator('canvas').first().waitFor();
  await takeScreenshot(page, 'analytics-by-key-desktop-light');
  await assertAccessible(page);
  const table = await downloaded(page, () =>
    page.getByRole('button', { name: 'Download table as CSV' }).click(),
  );
  assert.equal(sumOf(table, 'cost_usd').toFixed(2), usd(total));
  await page.getByRole('link', { name: 'Open in Requests' }).click();
  await page
    .getByText(`$${usd(total)}`)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const lines = await downloaded(page, () => page.getByRole('menuitem', { name: 'Export as CSV' }).click());
  assert.equal(sumOf(lines, 'cost_nano_usd'), total * CENT);
  assert.ok(lines[0]?.includes('created_at_local'));
  assert.deepEqual(faults, []);
  await context.close();
});

test('while another metric loads, the chart, the table and the file never combine the data of two metrics', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/analytics?range=30d&by=key');
  const download = page.getByRole('button', { name: 'Download table as CSV' });
  const spend = page.getByRole('region', { name: /^Spend by/ });
  const chart = page.getByRole('region', { name: /^(Spend|Requests)$/ }).getByRole('figure');
  await spend.getByRole('cell', { name: /^\$/ }).first().waitFor();
  await chart.and(page.getByLabel('Spend over time')).waitFor();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/api\/analytics\/timeseries/, async (route) => {
    await isReleased;
    await route.continue();
  });
  const totals = page.waitForResponse(/\/api\/analytics\/top\?.*metric=requests/);
  await page.getByRole('button', { name: 'Requests', exact: true }).click();
  await (await totals).finished();
  await page.locator('.stale').first().waitFor();
  await chart.and(page.getByLabel('Spend over time')).waitFor();
  await spend.waitFor();
  assert.equal(await download.isDisabled(), true);
  release();
  await page.getByRole('region', { name: /^Requests by/ }).waitFor();
  await chart.and(page.getByLabel('Requests over time')).waitFor();
  await page.locator('.stale').waitFor({ state: 'detached' });
  assert.equal(await download.isDisabled(), false);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a filter with several values matches each of them, as in the list of requests', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/analytics?by=key&key=ci,agents');
  await page.getByText('is any of').waitFor();
  for (const name of ['ci', 'agents']) await cell(page, name).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata'])
  test(`seven single days are the week, in ${zone}`, async () => {
    const look = zone === 'Asia/Kolkata' ? { dark: true, phone: true } : {};
    // Eight days before now, so that the week is over; across the end of summer time where that is near.
    const to = new Date(dayStart(zone, Date.now() - DAY_MS)).toISOString();
    const from = new Date(dayStart(zone, Date.parse(to) - 7 * DAY_MS + 2 * HOUR_MS)).toISOString();
    const { page, context, faults } = await openConsolePage(
      harness,
      `/o/acme/analytics?from=${from}&to=${to}&by=key&interval=day&tz=${zone}`,
      look,
    );
    await page.getByText(`Days start at midnight in ${zone}.`).waitFor();
    const week = centsIn(await cell(page, 'Total').innerText());
    await page.getByRole('button', { name: 'Show as table' }).click();
    const days = page.getByRole('table', { name: 'Spend over time' }).getByRole('button');
    const names = await days.allInnerTexts();
    assert.equal(names.length, 7);
    await takeScreenshot(page, `analytics-week-${zone.replace('/', '-')}`);
    await assertAccessible(page);
    let sum = 0;
    for (const name of names) {
      await page.getByRole('table', { name: 'Spend over time' }).getByRole('button', { name }).click();
      await page.waitForFunction(() => document.querySelectorAll('figure tbody tr').length !== 7);
      await page.locator('.stale').waitFor({ state: 'detached' });
      sum += centsIn(await cell(page, 'Total').innerText());
      await page.goBack();
      await page.waitForFunction(() => document.querySelectorAll('figure tbody tr').length === 7);
    }
    assert.equal(sum, week);
    assert.ok(week > 0);
    assert.deepEqual(faults, []);
    await context.close();
  });
