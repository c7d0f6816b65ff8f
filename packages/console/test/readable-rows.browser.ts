import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callHttp } from '@floe/testkit/http-client';
import type { Page } from 'playwright-core';
import { CONSOLE_KEY, openConsolePage } from './console-harness.ts';
import { boxOf, listCutTexts } from './element-boxes.ts';
import { servePopulatedPages } from './populated-pages.ts';

/** Rows, empty lists and details that a reader must understand without another page. */

const pages = servePopulatedPages();
const { open } = pages;

/** Opens a page on which `change` replaces the rows that the API lists at `path`. */
async function openWithRows(
  path: string,
  api: RegExp,
  change: (rows: Record<string, unknown>[]) => Record<string, unknown>[],
): Promise<Page> {
  const page = await open('/overview');
  await page.route(api, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ response: answer, json: { ...body, data: change(body.data) } });
  });
  await page.goto(`${pages.harness.url}/o/acme${path}`);
  return page;
}

test('a laptop shows the models of a request with several attempts, and its reason, in full', async () => {
  const page = await openWithRows('/requests', /api\/analytics\/requests\?/, ([first, ...more]) => [
    {
      ...first,
      model_requested: 'smart',
      provider: 'openai',
      model: 'gpt-5-mini',
      attempt_count: 3,
      status: 429,
      state: 'failed',
      outcome: 'failed',
      error_code: 'upstream_rate_limited',
    },
    ...more,
  ]);
  const row = page.locator('[data-row]').first();
  await row.getByText('3 attempts').waitFor();
  await row.locator('[data-column=status]').getByText('provider rate limit', { exact: true }).waitFor();
  assert.deepEqual(await listCutTexts(row.locator('[data-column=status]')), []);
  const model = row.locator('[data-column=model] .truncate');
  assert.deepEqual(await listCutTexts(model), []);
});

test('a request that was not sent to a provider has no legend of attempts', async () => {
  const { body } = await pages.harness.ask('POST', '/api/management/policies', {
    name: 'deny-hush',
    on: 'request',
    when: 'request.max_tokens == 7',
    action: 'deny',
    mode: 'enforce',
  });
  assert.ok(body);
  const answer = await callHttp(`${pages.harness.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${CONSOLE_KEY}` },
    body: { model: 'sandbox/echo', max_tokens: 7, messages: [{ role: 'user', content: 'Hello' }] },
  });
  assert.equal(answer.status, 403);
  const denied = await open(`/requests/${String(answer.headers['x-request-id'])}`);
  await denied.getByText('No request was sent to a provider').waitFor();
  assert.equal(await denied.getByText('Failed', { exact: true }).count(), 0);
});

test('the empty requests page places the command below its introduction', async () => {
  const page = await open('/requests?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z');
  const sentence = await boxOf(page.getByText('run this command:'));
  const button = await boxOf(page.getByRole('button', { name: 'Show the last 7 days' }));
  const command = await boxOf(page.getByText('curl -fsS'));
  assert.ok(button.y < sentence.y && sentence.y < command.y);
});

test('empty analytics mention filters only if there are any', async () => {
  const past = 'from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z';
  const page = await open(`/analytics?${past}`);
  await page.getByRole('heading', { name: 'No requests in this time range' }).waitFor();
  const filtered = await open(`/analytics?${past}&model=none`);
  await filtered.getByRole('heading', { name: 'No requests match' }).waitFor();
});

test('the list of open breakers does not contain breakers that have closed', async () => {
  const breaker = {
    id: 'sandbox/slow@none',
    provider: 'sandbox',
    model: 'slow',
    credential: 'none',
    reason: '5 consecutive failures',
    probe: null,
    wait_ms: 0,
    forced: null,
    calls: { ok: 0, failed: 0, slow: 0 },
  };
  const page = await openWithRows('/management/breakers', /api\/management\/breakers\?/, () => [
    { ...breaker, state: 'half_open', probe: 'next_request' },
    { ...breaker, id: 'sandbox/echo@none', model: 'echo', state: 'closed' },
  ]);
  await page.getByText('Open or recovering 1', { exact: true }).waitFor();
  await page.locator('[data-row]').getByText('slow').waitFor();
  assert.equal(await page.locator('[data-row]').count(), 1);
  assert.deepEqual(await listCutTexts(page.locator('[data-column=next]')), []);
  const closed = await openWithRows('/management/breakers', /api\/management\/breakers\?/, () => [
    { ...breaker, state: 'closed' },
  ]);
  await closed.getByRole('heading', { name: /^All targets of .* receive traffic/ }).waitFor();
});

test('an alert about one counter of a budget links to the budget', async () => {
  const page = await openWithRows('/alerts', /api\/monitoring\/alerts\?/, (rows) =>
    rows.slice(0, 1).map((row) => ({
      ...row,
      event: 'budget',
      subject: { kind: 'budget', id: 'b:team-month:month:2026-11-01:', name: 'team-month' },
      fields: { budget_id: 'team-month' },
    })),
  );
  await page.getByRole('link', { name: 'Budget team-month' }).click();
  await page.waitForURL(/budgets\?open=team-month$/);
});

test('a failed delivery that is due shows when it is sent again, and its status once', async () => {
  const delivery = (all: unknown) => {
    const [first] = Array.isArray(all) ? all : [];
    const due_at = new Date(Date.now() - 60_000).toISOString();
    const error = 'the receiver responded with HTTP 403';
    return [
      { ...first, id: 'dlv_1', channel: 'chat', state: 'pending', status: 403, attempts: 2, sent_at: null },
    ].map((one) => ({ ...one, due_at, error, pending_reason: null, grouped_into: null }));
  };
  const alerts = (rows: Record<string, unknown>[]) =>
    rows.slice(0, 1).map((row) => ({
      ...row,
      subject: { kind: 'breaker', id: 'sandbox/slow@none', name: 'sandbox/slow' },
      deliveries: delivery(row['deliveries']),
    }));
  const channels = await openWithRows('/channels', /api\/monitoring\/alerts\?/, alerts);
  const last = channels.locator('[data-column=last]');
  await last.getByText('403, next attempt now').waitFor();
  assert.deepEqual(await listCutTexts(last), []);
  const page = await openWithRows('/alerts', /api\/monitoring\/alerts\?/, alerts);
  const entry = page.getByRole('listitem').filter({ hasText: 'HTTP 403' }).last();
  await entry.getByText('will be retried').waitFor();
  assert.equal((await entry.innerText()).match(/403/g)?.length, 1);
  await page.getByRole('link', { name: 'Breaker sandbox/slow' }).click();
  await page.waitForURL(/breakers\?open=/);
});

test('a phone shows why a job failed and which rule denied a command', async () => {
  const monitor = await open('/monitors/invoices', true);
  const reason = monitor.getByRole('table').getByText('the job reported that it failed');
  await reason.first().waitFor();
  assert.equal(await reason.and(monitor.locator(':visible')).count(), 1);
  const decisions = await open('/relay/decisions', true);
  const line = decisions.getByText(/Denied by no-force-push/);
  await line.waitFor();
  assert.deepEqual(await listCutTexts(line), []);
});

test('a phone shows the price of a free model once and the APIs of a provider in full', async () => {
  const models = await open('/management/models', true);
  await models.getByText('Free', { exact: true }).first().waitFor();
  assert.equal(await models.getByText('Free input').count(), 0);
  const { page } = await openConsolePage(pages.harness, '/o/acme/overview', { phone: true });
  await page.route('**/api/management/providers/sandbox', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      json: { ...(await answer.json()), native_dialects: ['chat', 'responses', 'messages'] },
    });
  });
  await page.goto(`${pages.harness.url}/o/acme/management/providers/sandbox`);
  const apis = page.getByText('Chat Completions, ');
  await apis.waitFor();
  assert.deepEqual(await listCutTexts(apis.locator('xpath=..')), []);
});

test('a viewer views the settings of a monitor and does not edit them', async () => {
  pages.harness.signInAs('viewer');
  const page = await open('/monitors/invoices');
  pages.harness.signInAs('owner');
  await page.getByRole('button', { name: 'View settings' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Edit monitor' }).count(), 0);
});

test('the next runs of a monitor have dates in the usual form', async () => {
  const page = await open('/monitors/new');
  const cell = page.getByRole('table').getByRole('cell').first();
  await cell.waitFor();
  assert.match(await cell.innerText(), /^\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d:\d\d UTC$/);
});
