import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot, waitForValue } from './checks.ts';
import { CONSOLE_KEY, type ConsoleHarness, openConsolePage, startConsoleHarness } from './console-harness.ts';

let harness: ConsoleHarness;
let upstream: FakeUpstream;
const MANAGEMENT = '/o/acme/management';

before(async () => {
  upstream = await startFakeUpstream({
    respond: ({ headers }) =>
      headers['authorization'] === 'Bearer sk-good'
        ? createJsonReply({ object: 'list', data: [{ id: 'large' }, { id: 'small' }] })
        : createJsonReply({ error: { message: 'No such key here.', code: 'invalid_api_key' } }, 401),
  });
  harness = await startConsoleHarness();
});
after(async () => {
  await harness.close();
  await upstream.close();
});

const at = (page: Page, path: string) => page.goto(`${harness.url}${MANAGEMENT}${path}`);

test('a provider is tried before it is saved: a refusal is told in its words and nothing is kept', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/providers/new`);
  await page.getByLabel('Kind').selectOption('openai-compatible');
  await page.getByLabel('ID', { exact: true }).fill('main');
  await page.getByLabel('Base URL').fill(`${upstream.url}/v1`);
  await page.getByLabel('API key', { exact: true }).fill('sk-wrong');
  await page.keyboard.press('Enter');
  await page.getByText('No such key here.').waitFor();
  await page.locator('input[type=password]:focus').waitFor();
  await takeScreenshot(page, 'provider-new-desktop-light');
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Routes' }).click();
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('API key', { exact: true }).fill('sk-good');
  await page.keyboard.press('Enter');
  await page.waitForURL(/management\/providers\/main$/);
  await page.getByRole('button', { name: 'Test credential', exact: true }).click();
  const valid = page.getByText(/Credential is valid \(2 models, [\d.]+ ms\)/);
  await valid.waitFor();
  await takeScreenshot(page, 'provider-desktop-light');
  await assertAccessible(page);
  await page.getByRole('button', { name: /Actions for credential/ }).click();
  await page.getByRole('menuitem', { name: 'Replace credential' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('API key', { exact: true }).fill('sk-wrong');
  await page.keyboard.press('Enter');
  // The result of the earlier test does not apply to the new secret.
  await page.getByText('Not tested yet.').waitFor();
  await valid.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Models' }).click();
  await page.getByLabel('Allowed models').fill('large');
  await page.getByText('Matches 1 of the 2 currently allowed models: large.').waitFor();
  await page.getByRole('button', { name: 'Save allowlist' }).click();
  await page.getByText('Allowlist saved. It applies to new requests.').first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a route is arranged with the keyboard, and the simulator knows the draft before it is saved', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/routes/new`);
  await page.getByLabel('Model or alias').fill('clever');
  for (const [index, target] of ['sandbox/flaky', 'sandbox/echo'].entries()) {
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByLabel(`Target ${index + 1}`, { exact: true }).fill(target);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Move sandbox/echo, position 2 of 2' }).press('Alt+ArrowUp');
  await page.getByText('sandbox/echo, position 1 of 2', { exact: true }).waitFor({ state: 'attached' });
  await page.getByText('sandbox/echo would be used').first().waitFor();
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.waitForURL(/routes\/clever$/);
  // The form of the saved route takes the place of the new one's, and nothing is lifted in it yet.
  await page.getByRole('button', { name: 'Save route' }).waitFor();
  await page.getByRole('button', { name: 'Move sandbox/flaky, position 2 of 2' }).press(' ');
  await page.getByText('sandbox/flaky picked up', { exact: true }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: /^Move sandbox\/flaky/ }).press('ArrowUp');
  await page.getByRole('button', { name: /^Move sandbox\/flaky/ }).press(' ');
  await page.getByText('The draft changes the result.').waitFor();
  await takeScreenshot(page, 'route-draft-desktop-light');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Save route' }).click();
  await page.getByText('Requests in progress are not affected.').first().waitFor();
  await at(page, '/routes');
  await page.locator('[data-row="clever"]').getByText('sandbox/flaky').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('what stands in the file can be read, says its line, and cannot be changed', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/routes/smart`, { dark: true });
  await page
    .getByText(/To make changes, edit the file. Floe reloads the file automatically/)
    .first()
    .waitFor();
  assert.equal(await page.getByLabel('Model or alias').isDisabled(), true);
  assert.equal(await page.getByRole('button', { name: 'Save route' }).count(), 0);
  await takeScreenshot(page, 'route-file-desktop-dark');
  await assertAccessible(page);
  await context.close();
});

test('a change of somebody else is shown before anything is saved over it', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/limits?open=new`);
  await page.getByLabel('Applies to').selectOption('scope:key');
  await page.getByRole('combobox', { name: 'Key' }).fill('agents');
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('100');
  await page.getByText('Key agents can send at most 100 requests in any 60 seconds').waitFor();
  await page.locator('form').getByRole('button', { name: 'Create limit' }).click();
  await page.waitForURL(/open=lim/);
  const id = new URL(page.url()).searchParams.get('open') ?? '';
  await page.getByRole('button', { name: 'Save limit' }).waitFor();
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('200');
  await page.evaluate(
    `fetch('/api/management/limits/${id}', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"tpm":5000}' })`,
  );
  await page.getByRole('button', { name: 'Save limit' }).click();
  await page.getByText('saved changes while you were editing').waitFor();
  await assertAccessible(page);
  await takeScreenshot(page, 'limit-conflict-desktop-light');
  await page.getByRole('button', { name: 'Save my changes' }).click();
  await page
    .getByText(/^The limit for .+ was saved\.$/)
    .first()
    .waitFor();
  await waitForValue(page.getByRole('textbox', { name: 'Requests per minute' }), '200');
  await waitForValue(page.getByRole('textbox', { name: 'Tokens per minute' }), '5000');
  await context.close();
});

test('a rule is tried on a pasted request, and holds once it is enforced', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/policies`);
  await page.getByRole('button', { name: 'Limit output tokens' }).click();
  await page.getByText('if enforced').waitFor();
  await page.getByLabel('Condition (CEL)').fill('request.max_to');
  await page.keyboard.press('End');
  await page.keyboard.type('k');
  await page.getByRole('option', { name: 'request.max_tokens' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type(' > 100');
  await waitForValue(page.getByLabel('Condition (CEL)'), 'request.max_tokens > 100');
  await page.getByText('if enforced; in log-only mode, the result is only recorded').waitFor();
  await takeScreenshot(page, 'policy-new-desktop-light');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Create policy' }).click();
  await page.waitForURL(/policies\/cap-output$/);
  await page.getByLabel('Enforce').check();
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.getByRole('button', { name: 'Enforce policy' }).click();
  await page.getByText('Policy cap-output is enforced.').first().waitFor();
  const refused = await callHttp(`${harness.floe.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${CONSOLE_KEY}` },
    body: { model: 'sandbox/echo', max_tokens: 500, messages: [{ role: 'user', content: 'Hello' }] },
  });
  assert.equal(refused.status, 403);
  assert.match(refused.text, /cap-output/);
  await at(page, '/policies');
  await page.getByText('Enforce', { exact: true }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a breaker is forced with a reason, and everybody sees it', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/breakers`, {
    phone: true,
    dark: true,
  });
  await page
    .getByText(/receive traffic/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Force breaker state' }).click();
  await page.getByRole('combobox', { name: 'Breaker' }).fill('sandbox/flaky@none');
  await page.getByLabel('Reason').fill('Trial of the failover');
  await page.getByRole('button', { name: 'Force open' }).click();
  await page.getByText('Forced open').first().waitFor();
  await takeScreenshot(page, 'breakers-phone-dark');
  await page.locator('[data-row]').first().click();
  await page.getByText('Trial of the failover').first().waitFor();
  await assertAccessible(page);
  await takeScreenshot(page, 'breaker-phone-dark');
  assert.deepEqual(faults, []);
  await context.close();
});

test('the cache is turned on, answers, and is emptied after its word was typed', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/cache`);
  await page.getByLabel('Answer identical requests from the cache').click();
  await page.getByRole('button', { name: 'Save cache settings' }).click();
  await page.getByText('Cache settings saved. The cache is enabled.').first().waitFor();
  for (let n = 0; n < 3; n += 1) await harness.chat('sandbox/echo', { temperature: 0 });
  await page.getByText(/of \d+ cacheable requests/).waitFor();
  await page.getByRole('button', { name: 'Clear cache' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Clear cache' });
  assert.equal(await confirm.getAttribute('aria-disabled'), 'true');
  await page.getByLabel('Type clear to confirm').fill('clear');
  await confirm.click();
  await page.getByText('The cache was cleared.').first().waitFor();
  await takeScreenshot(page, 'cache-desktop-light');
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a model says why it cannot be used, and takes a price of the org', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/models`);
  await page.getByLabel('Check whether a model is available').fill('openai/gpt-6');
  await page.keyboard.press('Enter');
  await page.getByText('is not available').waitFor();
  await takeScreenshot(page, 'models-desktop-light');
  await assertAccessible(page);
  await page.locator('[data-row="main/large"]').click();
  await page.getByRole('button', { name: 'Set price' }).click();
  await page.getByLabel('Input', { exact: true }).fill('1.25');
  await page.getByLabel('Output', { exact: true }).fill('10');
  await page.getByRole('button', { name: 'Save price' }).click();
  await page.getByText('Set by the organization').waitFor();
  await takeScreenshot(page, 'model-desktop-light');
  assert.deepEqual(faults, []);
  await context.close();
});

test('a budget says in a sentence what it refuses; who may not change it is told who can', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/budgets?open=new`, {
    phone: true,
  });
  await page.getByLabel('Name', { exact: true }).fill('agents-month');
  await page.getByLabel('Limit (USD)').fill('0.01');
  await page.getByText('with status 402 after $0.0100 has been spent in one calendar month').waitFor();
  await takeScreenshot(page, 'budget-new-phone-light');
  await assertAccessible(page);
  await page.locator('form').getByRole('button', { name: 'Create budget' }).click();
  await page.waitForURL(/open=bud/);
  harness.signInAs('viewer');
  await page.reload();
  await page.getByRole('button', { name: 'Delete budget' }).waitFor();
  assert.equal(await page.getByLabel('Limit (USD)').isDisabled(), true);
  assert.equal(
    await page.getByRole('button', { name: 'Delete budget' }).getAttribute('aria-disabled'),
    'true',
  );
  await assertAccessible(page);
  harness.signInAs('owner');
  assert.deepEqual(faults, []);
  await context.close();
});
