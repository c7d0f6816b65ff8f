import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { isJsonObject } from '@floe/contract/json';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { CONSOLE_KEY, type ConsoleHarness, openConsolePage, startConsoleHarness } from './console-harness.ts';

/** The walks of monitoring: a list that ages well, a monitor from its editor to its first beat, a miss and its end. */

const LOOKS = [
  ['desktop-light', {}],
  ['desktop-dark', { dark: true }],
  ['phone-light', { phone: true }],
  ['phone-dark', { phone: true, dark: true }],
] as const;
const MISSED = 'no heartbeat received within expected_interval_minutes + grace_period_minutes';
let harness: ConsoleHarness;

const headers = { 'x-api-key': CONSOLE_KEY };
const make = (body: object) => callHttp(`${harness.floe.url}/api/monitoring/monitors`, { headers, body });

/** What a job sends; `tail` says how it went. */
async function beat(id: string, tail = '', body: object = { host: 'db-3', size: '41.2 GB' }) {
  const answer = await callHttp(`${harness.floe.url}/api/monitoring/monitors/${id}`, { headers });
  const monitor = answer.json();
  const url = new URL(isJsonObject(monitor) ? String(monitor['beat_url']) : '');
  await callHttp(`${harness.floe.url}${url.pathname}${tail}`, { body });
}

before(async () => {
  harness = await startConsoleHarness();
  await make({ id: 'feed', name: 'Feed import', expected_interval_minutes: 0.5, grace_period_minutes: 0 });
  await beat('feed');
  await make({
    id: 'invoice-export',
    name: 'Invoice export',
    expected_interval_minutes: 60,
    tags: ['billing'],
    description: 'Runs on db-3. Look at the disk first.',
  });
  await beat('invoice-export');
  await beat('invoice-export', '/fail', { exit: 1 });
  await make({
    id: 'report',
    name: 'Report renderer',
    schedule: { cron: '0 6 * * mon-fri', timezone: 'Europe/Riga' },
  });
  await make({ id: 'old-job', name: 'Old job', expected_interval_minutes: 60, paused: true });
  await beat('nightly-backup', '/start', {});
  await beat('nightly-backup');
});
after(() => harness.close());

for (const [name, look] of LOOKS)
  test(`the list of monitors and one monitor can be used by everyone: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors', look);
    await page.getByRole('row').nth(3).waitFor();
    await page
      .getByText('1 failing')
      .or(page.getByRole('button', { name: /failing/ }))
      .first()
      .waitFor();
    await takeScreenshot(page, `monitors-${name}`);
    await assertAccessible(page);
    await page.locator('[data-row="invoice-export"]').click();
    await page.getByRole('heading', { name: 'Invoice export' }).waitFor();
    await page.getByRole('row').nth(2).waitFor();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await takeScreenshot(page, `monitor-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`a monitor with a schedule and a zone is made, and turns healthy by its copied line: ${name}`, async () => {
    const id = `export-${name}`;
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors/new', look);
    await page.getByLabel('Name').fill('Export');
    await page.getByLabel('ID', { exact: true }).fill(id);
    await page.getByRole('button', { name: 'Cron schedule' }).click();
    await page.getByLabel('Cron expression').fill('CRON_TZ=Asia/Tokyo 30 6 * * 1-5 /usr/local/bin/export');
    assert.equal(await page.getByLabel('Cron expression').inputValue(), '30 6 * * 1-5');
    await page.getByText('At 06:30, Monday to Friday, in Asia/Tokyo.').waitFor();
    const runs = page.getByRole('table', { name: 'Next expected beats' });
    await runs
      .getByText(/06:30:00 GMT\+9/)
      .first()
      .waitFor();
    await runs
      .getByText(/21:30:00 UTC/)
      .first()
      .waitFor();
    await takeScreenshot(page, `monitor-editor-${name}`);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create monitor' }).click();
    await page.getByRole('heading', { name: 'Waiting for the first beat…' }).waitFor();
    await takeScreenshot(page, `monitor-waiting-${name}`);
    const line = await page.locator('figure pre').first().innerText();
    // The browser stands before the server; a shell would go to the same address.
    await promisify(execFile)('bash', ['-c', line.replace(harness.url, harness.floe.url)], {
      env: { ...process.env, FLOE_API_KEY: CONSOLE_KEY },
    });
    await page.getByRole('heading', { name: 'Send beats' }).waitFor();
    await page.getByRole('rowheader', { name: 'OK' }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

test('what may not be done is shown, off, and says who can', async () => {
  harness.signInAs('viewer');
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors/report');
  const pause = page.getByRole('button', { name: 'Pause' });
  await pause.waitFor();
  assert.equal(await pause.getAttribute('aria-disabled'), 'true');
  await pause.hover();
  await page.getByRole('tooltip').getByText('Requires the member role.').waitFor();
  harness.signInAs('owner');
  assert.deepEqual(faults, []);
  await context.close();
});

test('a monitor of the file is read, not changed, and says where to change it', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors/nightly-backup/edit');
  await page.getByText('To make changes, edit the file. Floe reloads the file automatically.').waitFor();
  assert.equal(await page.getByLabel('Name').isDisabled(), true);
  assert.equal(await page.getByRole('button', { name: 'Save monitor' }).count(), 0);
  await takeScreenshot(page, 'monitor-file-desktop-light');
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a change made meanwhile is shown before anything is lost', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/monitors/report/edit');
  await page.getByLabel('Name').fill('Mine');
  await callHttp(`${harness.floe.url}/api/monitoring/monitors/report`, {
    method: 'PATCH',
    headers,
    body: { name: 'Theirs' },
  });
  await page.getByRole('button', { name: 'Save monitor' }).click();
  const told = page
    .getByRole('alert')
    .filter({ hasText: 'Another member saved changes while you were editing' });
  await told.getByText('Theirs', { exact: true }).waitFor();
  await assertAccessible(page);
  await told.getByRole('button', { name: 'Save my changes' }).click();
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
  await context.close();
});

test('a test beat that ends a failure must be confirmed', async () => {
  const id = 'payroll';
  await make({ id, name: 'Payroll', expected_interval_minutes: 60 });
  await beat(id);
  await beat(id, '/fail');
  const { page, context, faults } = await openConsolePage(harness, `/o/acme/monitors/${id}`);
  const send = page.getByRole('button', { name: 'Send test beat' });
  await send.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It ends the failure, sends a recovery alert').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(/^Failing since/).waitFor();
  await send.click();
  await dialog.getByRole('button', { name: 'Send test beat' }).click();
  await page.getByText('Test beat recorded. It counts as a real beat.').first().waitFor();
  await page.getByText('Healthy', { exact: true }).first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a monitor that waits for its first beat shows when an alert is sent', async () => {
  await make({ id: 'first', name: 'First run', expected_interval_minutes: 120, grace_period_minutes: 10 });
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors');
  const row = page.locator('[data-row="first"]');
  await row.locator('[data-column=deadline]').getByText('in 2 h').waitFor();
  await page.goto(`${harness.url}/o/acme/monitors/first`);
  await page.getByText(/If the first beat does not arrive by .* \(in 2 h.*\), an alert is sent/).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a miss is shown, counted as downtime, and ends with the next beat without a reload', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors/feed');
  const missed = page.getByText('No beat arrived before the deadline.').and(page.getByTitle(MISSED)).first();
  await missed.waitFor({ timeout: 30_000 + TEST_TIMEOUT_MS });
  await page.getByText(/^Failing since/).waitFor();
  await takeScreenshot(page, 'monitor-missed-desktop-light');
  await assertAccessible(page);
  await beat('feed');
  await page.getByText('Healthy', { exact: true }).first().waitFor();
  await page
    .getByText(/ downtime/)
    .first()
    .waitFor();
  await page.getByText(/^Recent alerts/).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
