import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import type { Page } from 'playwright-core';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** The response to a request that creates something is lost, and the user submits the form again. */

const MANAGEMENT = '/o/acme/management';
let harness: MemberHarness;
before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

/**
 * Loses the response to the first request with this method to `path`. Collects the `Idempotency-Key` of each of these
 * requests.
 */
async function loseFirstResponse(
  page: Page,
  path: RegExp,
  method = 'POST',
): Promise<readonly (string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  await page.route(path, async (route) => {
    if (route.request().method() !== method) return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  return keys;
}

async function listNames(path: string): Promise<readonly unknown[]> {
  const { body } = await harness.ask('GET', path);
  const rows = isJsonObject(body) && Array.isArray(body['data']) ? body['data'] : [];
  return rows.map((row) => (isJsonObject(row) ? row['name'] : null));
}

test('a form that is submitted again after a lost response creates one resource, and two after an edit', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors/new');
  const keys = await loseFirstResponse(page, /\/api\/monitoring\/monitors$/);
  const submit = page.getByRole('button', { name: 'Create monitor' });
  await page.getByLabel('Name', { exact: true }).fill('Nightly report');
  await submit.click();
  await page.getByText('Floe did not respond.').waitFor();
  await submit.click();
  await page.waitForURL(/monitors\/nightly-report$/);
  const isReport = (name: unknown) => String(name).startsWith('Nightly report');
  assert.deepEqual((await listNames('/api/monitoring/monitors')).filter(isReport), ['Nightly report']);
  await page.goto(`${harness.url}/o/acme/monitors/new`);
  await page.getByLabel('Name', { exact: true }).fill('Nightly report 2');
  await submit.click();
  await page.waitForURL(/monitors\/nightly-report-2$/);
  const [first, retry, other] = keys;
  assert.ok(first);
  assert.equal(retry, first);
  assert.notEqual(other, first);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a key that is created again after a lost response exists once, and the dialog says what to do', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/keys`);
  const keys = await loseFirstResponse(page, /\/api\/management\/keys$/);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: 'Create key' });
  await dialog.getByLabel('Name').fill('deploy');
  await submit.click();
  await dialog.getByText('Floe did not respond.').waitFor();
  await submit.click();
  await dialog.getByText('To get a new key value, rotate the key.').waitFor();
  await dialog.getByLabel('Name').fill('deploy-2');
  await submit.click();
  await page.getByRole('button', { name: 'Copy key' }).waitFor();
  assert.equal(keys.length, 3);
  assert.equal(keys[1], keys[0]);
  assert.notEqual(keys[2], keys[0]);
  const made = (await listNames('/api/management/keys')).filter((name) => String(name).startsWith('deploy'));
  assert.deepEqual(made.toSorted(), ['deploy', 'deploy-2']);
  assert.deepEqual(faults, []);
  await context.close();
});

test('Connect does not create a second key after a lost response', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/connect/codex');
  await loseFirstResponse(page, /\/api\/management\/keys$/);
  const create = page.getByRole('button', { name: 'Create key mara-codex' });
  await create.click();
  await page.getByText('Floe did not respond.').waitFor();
  await create.click();
  await page.getByText('To get a new key value, rotate the key.').waitFor();
  const made = (await listNames('/api/management/keys')).filter((name) =>
    String(name).startsWith('mara-codex'),
  );
  assert.deepEqual(made, ['mara-codex']);
  await context.close();
});

test('a key whose new value was lost can be rotated again in the same dialog', async () => {
  const { body } = await harness.ask('POST', '/api/management/keys', { name: 'turned', scopes: ['gateway'] });
  const id = isJsonObject(body) ? String(body['id']) : '';
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/keys/${id}`);
  await page.getByRole('button', { name: 'Rotate' }).first().click();
  const dialog = page.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: 'Rotate key' });
  await loseFirstResponse(page, /\/rotate$/);
  await submit.click();
  await dialog.getByText('Two values of this key are already valid').waitFor();
  const overlap = dialog.getByRole('combobox');
  assert.equal(await overlap.inputValue(), '24');
  await page.unrouteAll();
  await loseFirstResponse(page, /\/rotate$/);
  await overlap.selectOption('0');
  await submit.click();
  await dialog.getByText('Floe did not respond.').waitFor();
  await submit.click();
  await dialog.getByText('To get a new key value, rotate the key.').waitFor();
  await submit.click();
  await page.getByRole('button', { name: 'Copy key' }).waitFor();
  await context.close();
});

test('a change and a deletion whose responses were lost are repeated without an error', async () => {
  const channel = { kind: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/hook', secret: 'signing-secret' };
  const { body } = await harness.ask('POST', '/api/monitoring/channels', channel);
  const id = isJsonObject(body) ? String(body['id']) : '';
  const { page, context } = await openConsolePage(harness, `/o/acme/channels?open=${id}`);
  const path = /\/api\/monitoring\/channels\/chn_/;
  await page.getByLabel('Monitor tags').fill('db');
  await page.getByLabel('Remove the stored value').click();
  await loseFirstResponse(page, path, 'PATCH');
  const save = page.getByRole('button', { name: 'Save channel' });
  await save.click();
  await page.getByText('Floe did not respond.').waitFor();
  await save.click();
  await page.getByText('Channel ops was saved.').first().waitFor();
  assert.equal(await page.getByText('saved changes while you were editing').count(), 0);
  assert.equal(await page.getByLabel('Remove the stored value').isChecked(), false);

  await loseFirstResponse(page, path, 'DELETE');
  await page.getByRole('button', { name: 'Delete channel' }).click();
  const dialog = page.getByRole('dialog').last();
  const remove = dialog.getByRole('button', { name: 'Delete channel' });
  await remove.click();
  await dialog.getByText('Floe did not respond.').waitFor();
  await remove.click();
  await page.getByText('No channels').waitFor();
  await context.close();
});
