import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EXCHANGE_OUTCOMES } from '@floe/contract/exchange-outcome';
import type { Locator, Page } from 'playwright-core';
import { takeScreenshot } from './checks.ts';
import {
  type ConsoleHarness,
  openBrowserContext,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

/** Rows stay where they are whatever comes, grows or fails above them. */

const FILTERS = '&provider=sandbox&model_requested=!nothing&surface=!messages&route_mode=!ide';
const FIXED = '?from=2026-01-01T10:00:00Z&to=2036-01-02T10:00:00Z';

let harness: ConsoleHarness;
let id = '';

before(async () => {
  harness = await startConsoleHarness();
  for (let n = 0; n < 5; n += 1) id = await harness.chat('sandbox/echo');
  await waitForWrittenRows(harness, '', 5);
});
after(() => harness.close());

/** The scripts that the page of requests asks for once it is drawn. */
function laterScripts(): readonly string[] {
  const manifest: Readonly<Record<string, { file: string; dynamicImports?: readonly string[] }>> = JSON.parse(
    readFileSync(join(import.meta.dirname, '../dist/manifest.json'), 'utf8'),
  );
  const later = manifest['src/pages/requests/requests-page.tsx']?.dynamicImports ?? [];
  return later.flatMap((name) => manifest[name]?.file ?? []);
}

/** Holds back what the page asks for above its rows: code and figures, each until it is let through. */
async function heldBack(page: Page) {
  const code = Promise.withResolvers<void>();
  const figures = Promise.withResolvers<void>();
  const scripts = laterScripts();
  await page.route(
    ({ pathname }) => scripts.some((file) => pathname.endsWith(file)),
    (route) => code.promise.then(() => route.continue()),
  );
  await page.route(/\/api\/analytics\/(summary|annotations)\b/, (route) =>
    figures.promise.then(() => route.continue()),
  );
  // A chart with all it can show, in numbers that need room.
  const at = [60_000, 0].map((ago) => new Date(Date.now() - ago).toISOString());
  const series = EXCHANGE_OUTCOMES.map((value) => ({ value, values: [0, 1234] }));
  await page.route(/\/api\/analytics\/timeseries\b/, (route) =>
    figures.promise.then(() => route.fulfill({ json: { at, series } })),
  );
  return { code, figures };
}

async function topOf(row: Locator): Promise<number> {
  return Math.round((await row.boundingBox())?.y ?? Number.NaN);
}

for (const [name, look, link] of [
  ['desktop-light', {}, '?range=1h'],
  ['desktop-drawer', {}, `?range=1h${FILTERS}&open=`],
  ['phone-light', { phone: true }, `?range=1h${FILTERS}`],
  ['phone-fixed', { phone: true }, `${FIXED}${FILTERS}`],
] as const)
  test(`rows that are there before the code and the figures above them stay in place: ${name}`, async () => {
    const hasDrawer = link.endsWith('open=');
    const context = await openBrowserContext(harness, look);
    const page = await context.newPage();
    const { code, figures } = await heldBack(page);
    await page.goto(`${harness.url}/o/acme/requests${link}${hasDrawer ? id : ''}`);
    const row = page.locator(`[data-row="${id}"]`);
    await row.waitFor();
    const at = await topOf(row);
    assert.equal(await page.locator('[data-filter]').count(), 0, 'the code is held back');
    await takeScreenshot(page, `rows-in-place-before-${name}`);
    code.resolve();
    await page.locator('[data-filter]').waitFor();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    if (hasDrawer) await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
    assert.equal(await topOf(row), at, 'the code moved no row');
    figures.resolve();
    await page.getByText('Blocked 1,234').waitFor();
    assert.equal(await topOf(row), at, 'the figures moved no row');
    await takeScreenshot(page, `rows-in-place-${name}`);
    await context.close();
  });

test('rows stay in place while the stream is lost, and when it is back', async () => {
  const read = [
    await openConsolePage(harness, `/o/acme/requests?range=1h&open=${id}`),
    await openConsolePage(harness, '/o/acme/requests?range=1h', { phone: true }),
  ];
  const tops = () => Promise.all(read.map(({ page }) => topOf(page.locator(`[data-row="${id}"]`))));
  const says = async (state: RegExp) => {
    for (const { page } of read) await page.getByRole('button', { name: state }).waitFor();
  };
  for (const { page } of read) await page.getByText('Succeeded 5').waitFor();
  await says(/^Live$/);
  const before = await tops();
  await harness.crash?.();
  await says(/^Reconnecting, last update/);
  assert.deepEqual(await tops(), before, 'the word for it moved no row');
  for (const [index, { page }] of read.entries()) await takeScreenshot(page, `rows-in-place-lost-${index}`);
  await harness.restartAfterCrash?.();
  await says(/^Live$/);
  assert.deepEqual(await tops(), before);
  for (const { context } of read) await context.close();
});
