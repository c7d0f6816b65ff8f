import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callHttp } from '@floe/testkit/http-client';
import type { Page } from 'playwright-core';
import { CONSOLE_KEY, openConsolePage, waitForWrittenRows } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';
import { CONSOLE_PATHS } from './populated-console.ts';
import { trackPageRequests, waitForSettledPage } from './settled-page.ts';

/** Resources whose names are as long as the API allows: every list and page fits the width of a phone and of a small laptop. */

const NAME = 'A-name-that-describes-the-job-its-team-its-region-and-its-purpose-'.repeat(2).slice(0, 120);
const ID = NAME.toLowerCase().slice(0, 60);
const WIDTHS = [390, 1024];

let harness: MemberHarness;
before(async () => {
  harness = await startMemberHarness();
  await createLongNames();
});
after(() => harness.close());

async function createLongNames(): Promise<void> {
  const make = async (path: string, body: object) => {
    const { status, body: answer } = await harness.ask('POST', `/api/${path}`, body);
    assert.equal(status, 201, `${path}: ${JSON.stringify(answer)}`);
  };
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  await make('monitoring/monitors', { id: ID, name: NAME, expected_interval_minutes: 60, tags: [ID] });
  await make('monitoring/channels', { name: ID, kind: 'webhook', url: 'http://127.0.0.1:9/hook' });
  await make('monitoring/boards', {
    slug: ID.slice(0, 50),
    name: NAME,
    public: true,
    groups: [{ name: NAME, monitors: [ID] }],
  });
  await make('monitoring/maintenance', { name: NAME.slice(0, 80), starts_at: at(1), ends_at: at(2) });
  await make('management/teams', { id: ID.slice(0, 32), name: NAME.slice(0, 80), cost_center: ID });
  await make('management/keys', { name: NAME, scopes: ['gateway'] });
  await make('management/limits', { name: ID, scope: 'key', key: NAME, rpm: 6000, tpm: 1_000_000 });
  await make('management/budgets', { name: ID, scope: 'org', period: 'month', limit_usd: 500 });
  await make('management/routes', { model: ID, strategy: 'failover', targets: ['sandbox/echo'] });
  await make('management/policies', {
    name: ID,
    on: 'request',
    when: 'request.max_tokens > 8000',
    action: 'flag',
  });
  await make('management/relay/rules', {
    name: ID,
    on: 'shell',
    match: { command: 'git' },
    decision: 'deny',
  });
  await make('management/invitations', { email: `${ID}@acme.example`, role: 'viewer' });
  const headers = {
    authorization: `Bearer ${CONSOLE_KEY}`,
    'x-floe-metadata': JSON.stringify({ ticket: NAME }),
  };
  for (const model of [ID, `sandbox/${ID}`])
    await callHttp(`${harness.url}/gateway/v1/chat/completions`, {
      headers,
      body: { model, user: NAME, messages: [{ role: 'user', content: 'Hello' }] },
    });
  const body = { event: 'shell', session_id: NAME, shell: { command: `git push origin ${NAME}` } };
  await callHttp(`${harness.url}/relay/v1/decisions`, { headers, body });
  await waitForWrittenRows(harness, '', 2);
}

/** The pages of lists, and of one resource of each kind. */
const PATHS = [
  ...CONSOLE_PATHS.filter((path) => !/[${]/.test(path)),
  `/monitors/${ID}`,
  `/boards/${ID.slice(0, 50)}/edit`,
  `/management/routes/${ID}`,
  `/management/policies/${ID}`,
  '/management/members?show=teams',
  '/management/members?show=invitations',
  '/relay/coverage?tab=sessions',
];

for (const width of WIDTHS)
  test(`long names fit the width of every page: ${width} px`, async () => {
    const { page, context } = await openConsolePage(harness, '/o/acme/overview');
    trackPageRequests(page);
    await page.setViewportSize({ width, height: 800 });
    const wide: string[] = [];
    for (const path of PATHS) {
      await page.goto(`${harness.url}/o/acme${path}`);
      await waitForSettledPage(page);
      if (await scrollsSideways(page)) wide.push(path);
    }
    assert.deepEqual(wide, []);
    await context.close();
  });

function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main')].some(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    ),
  );
}

test('a cell whose text is cut shows the whole text in a tooltip, and other cells have none', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/management/keys');
  const name = page.locator('[data-column=name]').filter({ hasText: NAME });
  await name.hover();
  assert.equal(await name.getAttribute('title'), NAME);
  const short = page.locator('[data-column=name]').filter({ hasText: 'agents' });
  await short.hover();
  assert.equal((await short.getAttribute('title')) ?? '', '');
  await context.close();
});
