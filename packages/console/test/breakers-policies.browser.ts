import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  CONSOLE_KEY,
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

/** Acceptance walks 20 and 21: what stops requests, seen where it happens. */

const SECOND = `eis_second${'0'.repeat(32)}`;
const BREAKER = 'broken/large@default';
const MANAGEMENT = '/o/acme/management';

let harness: ConsoleHarness;
let upstream: FakeUpstream;

async function ask(key: string, most: number) {
  return callHttp(`${harness.floe.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'sandbox/echo', max_tokens: most, messages: [{ role: 'user', content: 'Hello' }] },
  });
}

before(async () => {
  upstream = await startFakeUpstream({
    respond: () => createJsonReply({ error: { message: 'Out of order.', code: 'overloaded' } }, 503),
  });
  harness = await startConsoleHarness('', {
    bodies: { keep: true },
    limits: [],
    providers: [
      { id: 'sandbox', kind: 'sandbox' },
      {
        id: 'broken',
        kind: 'openai-compatible',
        base_url: `${upstream.url}/v1`,
        api_key: 'sk-any',
        models: ['large'],
        breaker: { open_ms: 20_000 },
      },
    ],
    routes: [{ model: 'safe', strategy: 'failover', targets: ['broken/large', 'sandbox/echo'], retries: 0 }],
  });
});
after(async () => {
  await harness.close();
  await upstream.close();
});

const at = (page: Page, path: string) => page.goto(`${harness.url}${path}`);
/** Waits until what was asked can be read, which its row does not tell. */
async function kept({ status, headers }: HttpCallResponse): Promise<void> {
  assert.equal(status, 200);
  const path = `/api/analytics/requests/${String(headers['x-request-id'])}/bodies`;
  await eventually(async () => {
    const answer = await callHttp(harness.floe.url + path, { headers: { 'x-api-key': CONSOLE_KEY } });
    assert.equal(answer.status, 200, answer.text);
    return true;
  });
}

/** Fills in the dialog, and leaves its button to be pressed. */
async function forceClosed(page: Page, howLong: string, reason: string): Promise<void> {
  await page.getByLabel('State', { exact: true }).selectOption('closed');
  await page.getByLabel('Duration', { exact: true }).selectOption('');
  await page.getByLabel('Custom duration').fill(howLong);
  await page.getByLabel('Reason').fill(reason);
}

const inDark = (page: Page) => page.emulateMedia({ colorScheme: 'dark' });

test('a breaker that opens is seen at once, marked in the histogram, skipped, and forced closed for a while', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/breakers`);
  await page
    .getByText(/receive traffic/)
    .first()
    .waitFor();
  for (let n = 0; n < 6; n += 1) await harness.chat('safe');
  const row = page.locator(`[data-row="${BREAKER}"]`);
  await row.getByText('Open (no traffic)', { exact: true }).waitFor();
  await page.getByText('One target receives no traffic').waitFor();
  await takeScreenshot(page, 'breakers-open-desktop-light');
  await assertAccessible(page);

  // Should its wait be over by now, this opens it anew.
  await harness.chat('safe');
  await at(page, `${MANAGEMENT}/routes/safe`);
  await page.getByText('sandbox/echo would be used').first().waitFor();
  await page.getByText(/broken\/large: 5 consecutive failures.*available again in/).waitFor();

  await waitForWrittenRows(harness, '', 7);
  await at(page, '/o/acme/requests?range=1h');
  await page.getByRole('button', { name: /^Events: \d+$/ }).click();
  const happened = page.getByRole('list', { name: 'All events' });
  await happened.getByRole('link', { name: new RegExp(`Breaker ${BREAKER} opened`) }).waitFor();
  assert.ok((await page.locator('line[data-mark]').count()) > 0);
  await takeScreenshot(page, 'requests-marked-desktop-light');
  await happened.getByRole('link', { name: new RegExp(`Breaker ${BREAKER} opened`) }).press('Enter');

  await page.getByRole('heading', { name: BREAKER }).waitFor();
  const drawer = page.getByRole('region', { name: 'Breaker', exact: true });
  await drawer.getByRole('button', { name: 'Force state' }).click();
  await forceClosed(page, '10m', 'They say it is back');
  await inDark(page);
  await takeScreenshot(page, 'breaker-force-desktop-dark');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Force closed' }).click();
  await page.getByText('Forced closed').first().waitFor();
  await page.getByText('They say it is back').first().waitFor();
  await page.getByText('Forced by').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Change forced state' }).click();
  await forceClosed(page, '1s', 'For a moment');
  await page.getByRole('button', { name: 'Force closed' }).click();
  // Without a word from anybody it is its own again: nobody reloads.
  await drawer.getByRole('button', { name: 'Force state' }).waitFor();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.getByText('They say it is back', { exact: true }).first().waitFor();
  await takeScreenshot(page, 'breaker-after-force-desktop-dark');
  assert.deepEqual(faults, []);
  await context.close();
});

test('a rule is tried on a week of kept requests, enforced with its numbers, and refuses by name', async () => {
  for (const [key, most] of [...Array<number>(9).fill(500), ...Array<number>(4).fill(50)].map(
    (tokens, n) => [n % 3 === 0 ? SECOND : CONSOLE_KEY, tokens] as const,
  ))
    await kept(await ask(key, most));
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/policies`);
  await page.getByRole('button', { name: 'Limit output tokens' }).click();
  await page.getByLabel('Condition (CEL)').fill('request.max_tokens > 100');
  await page.getByRole('button', { name: 'Create policy' }).click();
  await page.waitForURL(/policies\/cap-output$/);

  // It goes on once its bar was seen, however quick the server is.
  const seen = Promise.withResolvers<void>();
  await page.route('**/api/jobs/*', (route) => seen.promise.then(() => route.continue()));
  await page.getByRole('button', { name: 'Start dry run' }).click();
  await page.getByRole('progressbar', { name: 'Dry run progress' }).waitFor();
  seen.resolve();
  await page.getByText('9 requests from 2 keys would have been denied.').waitFor();
  await page.getByText(/\d+ checked · 9 matched .* · 2 keys/).waitFor();
  const samples = page.getByRole('list', { name: 'Matching requests' }).getByRole('link');
  assert.equal(await samples.count(), 9);
  await takeScreenshot(page, 'policy-dry-run-desktop-light');
  await assertAccessible(page);
  await samples.first().click();
  await page.waitForURL(/requests\/exc_/);
  await page.getByRole('heading', { name: 'Why this route?' }).waitFor();
  await page.goBack();

  await page.getByLabel('Enforce').check();
  await page.getByRole('button', { name: 'Save policy' }).click();
  const question = page.getByRole('dialog');
  await question.getByText('9 requests from 2 keys would have been denied.').waitFor();
  await inDark(page);
  await takeScreenshot(page, 'policy-enforce-desktop-dark');
  await assertAccessible(page);
  await question.getByRole('button', { name: 'Enforce policy' }).click();
  await page.getByText('Policy cap-output is enforced.').first().waitFor();
  const refused = await ask(CONSOLE_KEY, 500);
  assert.equal(refused.status, 403);
  assert.match(refused.text, /cap-output/);
  assert.equal((await ask(CONSOLE_KEY, 50)).status, 200);
  assert.deepEqual(faults, []);
  await context.close();
});
