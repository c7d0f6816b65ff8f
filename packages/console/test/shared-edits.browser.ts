import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitForValue } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** Two people change the same resource: nobody's change is lost, and nothing outdated is shown. */

let harness: MemberHarness;

before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

/** Creates a resource and returns its ID. */
async function create(path: string, body: object): Promise<string> {
  const answer = await harness.ask('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return String(Reflect.get(Object(answer.body), 'id'));
}

test('discarding changes shows what another member has saved meanwhile', async () => {
  const id = await create('/api/management/limits', { scope: 'org', name: 'shared-limit', rpm: 700 });
  const { page, context } = await openConsolePage(harness, `/o/acme/management/limits?open=${id}`);
  const perMinute = page.getByRole('textbox', { name: 'Requests per minute' });
  await perMinute.fill('701');
  const reread = page.waitForResponse(
    (answer) => answer.url().endsWith(`/limits/${id}`) && answer.request().method() === 'GET',
  );
  await harness.ask('PATCH', `/api/management/limits/${id}`, { rpm: 800 });
  await reread;
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await waitForValue(perMinute, '800');
  await perMinute.fill('801');
  await page.getByRole('button', { name: 'Save limit' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
  const { body } = await harness.ask('GET', `/api/management/limits/${id}`);
  assert.equal(Reflect.get(Object(body), 'rpm'), 801);
  assert.equal(await page.getByText('saved changes while you were editing').count(), 0);
  await context.close();
});

test('a change of other values of the resource needs no decision', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/management/settings/gateway');
  await page.getByLabel('Store responses for previous_response_id').click();
  const other = { monitoring: { grace_period_minutes: 7 } };
  assert.equal((await harness.ask('PATCH', '/api/management/settings', other)).status, 200);
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
  const { body } = await harness.ask('GET', '/api/management/settings');
  const { stored_responses, monitoring } = Object(body);
  assert.deepEqual([stored_responses, monitoring.grace_period_minutes], [false, 7]);
  await context.close();
});

test('a monitor keeps values that the form cannot show exactly, and channels that no longer exist', async () => {
  const channel = await create('/api/monitoring/channels', {
    name: 'ops',
    kind: 'webhook',
    url: 'https://ops.example/hook',
  });
  const kept = { tags: ['Acme, Inc.'], channels: ['ops'], alert_after_misses: 10_000 };
  const id = await create('/api/monitoring/monitors', {
    ...{ id: 'shared-backup', name: 'Backup', expected_interval_minutes: 60 },
    ...kept,
  });
  await harness.ask('PATCH', `/api/monitoring/channels/${channel}`, { name: 'ops-eu' });
  const { page, context } = await openConsolePage(harness, `/o/acme/monitors/${id}/edit`);
  await page.getByLabel('Description').fill('Check the disk first');
  await page.getByRole('button', { name: 'Save monitor' }).click();
  await page.getByText('Monitor Backup was saved.').first().waitFor();
  const { body } = await harness.ask('GET', `/api/monitoring/monitors/${id}`);
  const { description, tags, channels, alert_after_misses } = Object(body);
  assert.deepEqual(
    { description, tags, channels, alert_after_misses },
    { description: 'Check the disk first', ...kept },
  );
  await context.close();
});

test('a maintenance window keeps what another member changed in other fields', async () => {
  const id = await create('/api/monitoring/maintenance', {
    name: 'Database upgrade',
    starts_at: '2031-05-01T02:00:00.000Z',
    ends_at: '2031-05-01T04:00:00.000Z',
  });
  const { page, context } = await openConsolePage(harness, `/o/acme/maintenance?open=${id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Database move');
  const moved = { starts_at: '2031-06-01T02:00:00.000Z', ends_at: '2031-06-01T05:00:00.000Z', tags: ['db'] };
  await harness.ask('PATCH', `/api/monitoring/maintenance/${id}`, moved);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { body } = await harness.ask('GET', `/api/monitoring/maintenance/${id}`);
  const { name, starts_at, ends_at, tags } = Object(body);
  assert.deepEqual({ name, starts_at, ends_at, tags }, { name: 'Database move', ...moved });
  await context.close();
});

test('an extension is added to the end that another member has set meanwhile', async () => {
  const now = Date.now();
  const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
  const id = await create('/api/monitoring/maintenance', {
    name: 'Disk swap',
    starts_at: at(-1),
    ends_at: at(1),
  });
  const { page, context } = await openConsolePage(harness, '/o/acme/maintenance');
  const extend = page.getByRole('button', { name: 'Extend by 30 min' });
  await extend.waitFor();
  await page.route(/\/maintenance\?/, (route) => route.abort());
  await harness.ask('PATCH', `/api/monitoring/maintenance/${id}`, { ends_at: at(5) });
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await extend.click();
  await saved;
  const { body } = await harness.ask('GET', `/api/monitoring/maintenance/${id}`);
  assert.equal(Reflect.get(Object(body), 'ends_at'), at(5.5));
  await context.close();
});
