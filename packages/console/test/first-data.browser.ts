import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';
import { trackPageRequests, waitForSettledPage } from './settled-page.ts';

/** What a page does until its data is there: each question once, and nothing made for what nobody looks at. */

let harness: ConsoleHarness;
before(async () => {
  harness = await startConsoleHarness();
  for (let n = 0; n < 4; n += 1) await harness.chat('sandbox/echo');
  await waitForWrittenRows(harness, '', 4);
});
after(() => harness.close());

/** Opens a page and tells what it asked of the API, by path, until everything was there. */
async function asked(
  path: string,
): Promise<{ page: Page; paths: readonly string[]; close: () => Promise<void> }> {
  const { page, context } = await openConsolePage(harness, '/healthz');
  trackPageRequests(page);
  // An open event stream refetches the data after a second, while a slow page is still being rendered.
  await page.route(/\/api\/events\b/, () => undefined);
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) paths.push(pathname);
  });
  await page.goto(`${harness.url}/o/acme${path}`);
  await waitForSettledPage(page);
  return { page, paths, close: () => context.close() };
}

function count(paths: readonly string[], path: string): number {
  return paths.filter((one) => one === path).length;
}

for (const [path, questions] of [
  ['/analytics', { summary: 1, timeseries: 2, top: 1, annotations: 1 }],
  // Its own response has the sums. Its guide asks for the newest request and the newest successful one.
  ['/overview', { summary: 0, timeseries: 6, top: 3, annotations: 2, requests: 2 }],
  ['/requests', { summary: 1, timeseries: 1, annotations: 1 }],
] as const)
  test(`${path} asks while it is drawn, and no question twice`, async () => {
    const { paths, close } = await asked(path);
    for (const [name, times] of Object.entries(questions))
      assert.equal(count(paths, `/api/analytics/${name}`), times, `${name}: ${paths.join(' ')}`);
    assert.equal(count(paths, '/api/session'), 1);
    await close();
  });

test('the words of a control are made when it is pointed at or comes into focus, and go with it', async () => {
  const { page, close } = await asked('/analytics');
  const share = page.getByRole('button', { name: 'Copy link' });
  const words = page.getByRole('tooltip');
  assert.equal(await words.count(), 0);
  await share.hover();
  await words.filter({ hasText: 'Copy link' }).waitFor({ state: 'attached' });
  const described = await share.getAttribute('aria-describedby');
  assert.equal(await page.locator(`[id="${described}"]`).count(), 1);
  await page.keyboard.press('Escape');
  await words.waitFor({ state: 'detached' });
  await page.mouse.move(5, 5);
  await page.getByRole('button', { name: 'Compare' }).focus();
  await page.keyboard.press('Tab');
  await words.filter({ hasText: 'Copy link' }).waitFor({ state: 'attached' });
  assert.equal(await share.evaluate((button) => button === document.activeElement), true);
  await page.keyboard.press('Tab');
  await words.filter({ hasText: 'Download table as CSV' }).waitFor({ state: 'attached' });
  assert.equal(await share.getAttribute('aria-describedby'), null);
  await close();
});
