import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';
import { recordLongTasks } from './long-tasks.ts';
import { trackPageRequests, waitForSettledPage } from './settled-page.ts';

async function streamText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of stream) text += String(piece);
  return text;
}

let harness: ConsoleHarness;
before(async () => {
  harness = await startConsoleHarness();
  for (let n = 0; n < 6; n += 1) await harness.chat('sandbox/echo');
  await harness.chat('smart');
  await harness.chat('sandbox/none');
  await harness.chat('sandbox/tools');
  await waitForWrittenRows(harness, '', 9);
});
after(() => harness.close());

for (const [name, look] of [
  ['desktop-light', {}],
  ['desktop-dark', { dark: true }],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`the overview says what needs somebody, and adds up the day: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/overview', look);
    await page.getByRole('heading', { name: 'Models by spend' }).waitFor();
    await page.getByText('Nothing needs attention.').waitFor();
    await page.locator('.u-over').nth(2).waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'echo' }).first().waitFor();
    await takeScreenshot(page, `overview-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

test('while another time range loads, a chart never combines the lines of two time ranges', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/overview?range=24h');
  const charts = ['Latency over time', 'Time to first token over time'] as const;
  for (const name of charts)
    await page.getByRole('figure', { name }).getByRole('button', { name: 'Show as table' }).click();
  const firstTimeOf = (name: (typeof charts)[number]) =>
    page.getByRole('figure', { name }).getByRole('rowheader').first();
  const before = (await firstTimeOf(charts[0]).textContent()) ?? '';
  for (const name of charts) assert.equal(await firstTimeOf(name).textContent(), before);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/api\/analytics\/timeseries\?.*metric=latency_p95_ms/, async (route) => {
    await isReleased;
    await route.continue();
  });
  const half = page.waitForResponse(/\/api\/analytics\/timeseries\?.*metric=latency_p50_ms/);
  await page.getByRole('button', { name: 'Last 24 hours' }).click();
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await (await half).finished();
  await firstTimeOf(charts[1]).and(page.getByText(before)).waitFor({ state: 'detached' });
  assert.equal(await firstTimeOf(charts[0]).textContent(), before);
  release();
  await firstTimeOf(charts[0]).and(page.getByText(before)).waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
  await context.close();
});

test('the links of the overview lead to pages with the same time range', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const to = new Date(Date.now() + 3_600_000).toISOString();
  for (const time of [{ range: '7d' }, { from, to }]) {
    await page.goto(`${harness.url}/o/acme/overview?${new URLSearchParams(time)}`);
    await page.getByRole('link', { name: 'echo' }).first().waitFor();
    await page.getByRole('link', { name: 'agents' }).first().waitFor();
    const links: readonly string[] = await page
      .locator('main a[href*="/analytics"], main a[href*="/requests"], main a[href*="/audit"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    assert.ok(links.length >= 6, links.join(' '));
    const wrong = links.filter((link) => {
      const query = new URL(link, harness.url).searchParams;
      // The link of a change in a chart has the time of the change.
      if (query.has('action')) return !query.has('from');
      return Object.entries(time).some(([name, value]) => query.get(name) !== value);
    });
    assert.deepEqual(wrong, []);
  }
  await context.close();
});

test('analytics by key adds up to the total, in the table, the file and the list of requests', async () => {
  const { page, context, faults } = await openConsolePage(
    harness,
    '/o/acme/analytics?metric=requests&by=key&range=24h',
  );
  const table = page.getByRole('region', { name: 'Requests by Key' });
  await table.getByRole('rowheader', { name: 'agents' }).waitFor();
  await page.locator('.u-over').first().waitFor({ state: 'attached' });
  await takeScreenshot(page, 'analytics-desktop-light');
  await assertAccessible(page);
  const figures = await table.locator('tbody tr td:nth-child(2)').allTextContents();
  const sum = figures.reduce((total, text) => total + Number(text), 0);
  const total = Number(await table.locator('tfoot td').first().textContent());
  assert.equal(sum, total);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download table as CSV' }).click(),
  ]);
  const [head = '', ...lines] = (await streamText(await file.createReadStream())).trim().split('\r\n');
  const requests = lines.map((line) => Number(line.split(',')[head.split(',').indexOf('requests')]));
  assert.equal(
    requests.reduce((all, one) => all + one, 0),
    total,
  );
  // A row is a filter; the list with the same filter has as many.
  await table.getByRole('button', { name: 'agents' }).click();
  await page.waitForURL(/key=key_/);
  await page.getByRole('link', { name: 'Open in Requests' }).click();
  await page.waitForFunction((count) => document.querySelectorAll('[data-row]').length === count, total);
  assert.deepEqual(faults, []);
  await context.close();
});

test('ten thousand points are drawn and looked at without a stutter', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/sign-in');
  trackPageRequests(page);
  const [told] = await Promise.all([
    page.waitForResponse(/timeseries/),
    page.goto(`${harness.url}/o/acme/analytics?metric=requests&interval=minute&compare=0&range=71h`),
  ]);
  const { at, series } = await told.json();
  assert.ok(at.length * series.length >= 10_000, `${at.length} moments of ${series.length}`);
  await page.locator('.u-over').first().waitFor({ state: 'attached' });
  await waitForSettledPage(page);
  const box = await page.locator('.u-over').first().boundingBox();
  assert.ok(box);
  const longTasks = await recordLongTasks(page, 200);
  for (let step = 0; step < 30; step += 1) await page.mouse.move(box.x + (box.width * step) / 30, box.y + 40);
  assert.deepEqual(await longTasks(), []);
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [name, look] of [
  ['phone-light', { phone: true }],
  ['desktop-dark', { dark: true }],
] as const)
  test(`analytics can be read and grouped anywhere: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/analytics?range=24h', look);
    await page.getByRole('rowheader', { name: 'echo' }).waitFor();
    await page.getByRole('button', { name: 'Latency' }).click();
    await page.waitForURL(/metric=latency/);
    await page.locator('.u-over').first().waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Show as table' }).waitFor();
    await takeScreenshot(page, `analytics-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });
