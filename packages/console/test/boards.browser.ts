import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { CONSOLE_KEY, type ConsoleHarness, openConsolePage, startConsoleHarness } from './console-harness.ts';

/** What others see and who is told: boards, channels with their log, maintenance, alerts. */

const DESKTOP_AND_PHONE = [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const;
const headers = { 'x-api-key': CONSOLE_KEY };
const received: string[] = [];
let harness: ConsoleHarness;
let receiver: Server;
/** Whether the receiver that refuses takes messages now. */
let repaired = false;

async function api(path: string, body: object): Promise<void> {
  const { status } = await callHttp(`${harness.floe.url}/api/monitoring/${path}`, { headers, body });
  assert.equal(status, 201, path);
}

async function beat(id: string, tail = '') {
  const answer = await callHttp(`${harness.floe.url}/api/monitoring/monitors/${id}`, { headers });
  const monitor = answer.json();
  const url = new URL(isJsonObject(monitor) ? String(monitor['beat_url']) : '');
  const { status } = await callHttp(`${harness.floe.url}${url.pathname}${tail}`, { body: {} });
  assert.equal(status, 200, `${id}${tail}`);
}

before(async () => {
  harness = await startConsoleHarness();
  receiver = createServer((req, res) => {
    received.push(req.url ?? '');
    req.resume();
    if (req.url === '/refuses' && !repaired) res.writeHead(403).end('invalid_token');
    else res.writeHead(200).end('ok');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await api('monitors', { id: 'invoices', name: 'Invoice export', expected_interval_minutes: 60 });
  await api('channels', { name: 'chat', kind: 'webhook', url: `${receiverUrl()}/refuses` });
  await beat('nightly-backup');
  await beat('invoices');
  await beat('invoices', '/fail');
  const now = Date.now();
  await api('maintenance', {
    id: 'move',
    name: 'Database move',
    starts_at: new Date(now - 60_000).toISOString(),
    ends_at: new Date(now + 7_200_000).toISOString(),
    monitors: ['nightly-backup'],
    show_on_boards: true,
  });
  await api('maintenance', {
    id: 'weekly',
    name: 'Weekly work',
    // Three days from now: a window in progress would mute the alerts.
    schedule: { cron: `0 2 * * ${(new Date(now).getUTCDay() + 3) % 7}`, timezone: 'Europe/Riga' },
    duration_minutes: 120,
  });
  await api('boards', {
    slug: 'status',
    name: 'Acme',
    public: true,
    groups: [{ name: 'Scheduled jobs', monitors: ['nightly-backup', 'invoices'] }],
  });
});
after(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await harness.close();
});

function receiverUrl(): string {
  const address = receiver.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

for (const [name, look] of DESKTOP_AND_PHONE)
  test(`a board is edited beside the page it will be: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/boards', look);
    await page.getByRole('row').filter({ hasText: 'Acme' }).first().waitFor();
    await takeScreenshot(page, `boards-${name}`);
    await assertAccessible(page);
    await page.locator('[data-row="status"]').click();
    const preview = page.frameLocator('iframe');
    await preview.getByRole('heading', { name: 'Invoice export is failing' }).waitFor();
    const first = page.locator('ol > li').first();
    await first.filter({ hasText: 'Nightly backup' }).waitFor();
    await page.getByRole('button', { name: /^Move Invoice export/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Space');
    await first.filter({ hasText: 'Invoice export' }).waitFor();
    await page.getByLabel('Title').fill('Acme jobs');
    await preview.getByRole('heading', { name: 'Acme jobs' }).waitFor();
    await takeScreenshot(page, `board-editor-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

test('a board is made, published, and read by anyone, also without scripts', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/boards/new');
  await page.getByLabel('URL path').fill('jobs');
  await page.getByLabel('Add a monitor to Scheduled jobs').fill('nightly');
  await page.getByRole('option', { name: 'Nightly backup' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove monitor Nightly backup' }).waitFor();
  await page.getByLabel('Public').click();
  await page.getByRole('button', { name: 'Create board' }).click();
  await page.getByRole('heading', { name: 'Share board' }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
  const browser = await harness.browser();
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const board = await plain.newPage();
  await board.goto(`${harness.floe.url}/boards/jobs`);
  await board.getByRole('heading', { name: 'Maintenance in progress' }).waitFor();
  await board.getByText('Nightly backup').first().waitFor();
  await plain.close();
});

for (const [name, look] of [
  ['desktop-light', {}],
  ['desktop-dark', { dark: true }],
  ['phone-light', { phone: true }],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`the public board says it in words and colours: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/boards/status', look);
    await page.getByRole('heading', { name: 'Invoice export is failing' }).waitFor();
    await takeScreenshot(page, `public-board-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

for (const [name, look] of DESKTOP_AND_PHONE)
  test(`a channel is tested before it is made, and its log says what became of each message: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/channels', look);
    await page.locator('[data-row]').first().waitFor();
    await takeScreenshot(page, `channels-${name}`);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create channel' }).click();
    await page.getByLabel('Name').fill(`ops-${name}`);
    await page.getByLabel('URL', { exact: true }).fill(`${receiverUrl()}/${name}`);
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText(/Webhook responded with status 200 in/).waitFor();
    assert.ok(received.includes(`/${name}`));
    await takeScreenshot(page, `channel-test-${name}`);
    await assertAccessible(page);
    await page.locator('form').getByRole('button', { name: 'Create channel' }).click();
    await page.getByRole('tab', { name: 'Deliveries' }).waitFor();
    assert.doesNotMatch(await page.content(), new RegExp(`${receiverUrl()}/${name}`));
    await page.keyboard.press('Escape');
    await page.locator('[data-row]').filter({ hasText: 'chat' }).click();
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByText('responded with HTTP 403').first().waitFor();
    await page.getByRole('button', { name: 'Retry delivery' }).first().waitFor();
    await takeScreenshot(page, `channel-log-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

for (const [name, look] of DESKTOP_AND_PHONE)
  test(`maintenance stands on a calendar, can be ended and planned: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/maintenance', look);
    await page.getByRole('heading', { name: /Database move until/ }).waitFor();
    await takeScreenshot(page, `maintenance-${name}`);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Extend by 30 min' }).click();
    // Phones always show the list.
    if (name === 'desktop-light') await page.getByText('List', { exact: true }).click();
    await page.getByRole('button', { name: 'Create window' }).click();
    await page.getByLabel('Name').fill(`Network ${name}`);
    // The default is the next full hour, which the other tests could reach.
    await page.getByLabel(/^Start/).fill('2037-01-10T02:00');
    await page.getByLabel('Duration').fill('90 min');
    await takeScreenshot(page, `maintenance-plan-${name}`);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create window' }).click();
    await page.getByText(`Network ${name}`).first().waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

test('a maintenance window names its monitors, marks them, and ends only after a confirmation', async () => {
  await api('maintenance', {
    id: 'patch',
    name: 'Patch day',
    starts_at: new Date(Date.now() - 60_000).toISOString(),
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    monitors: ['invoices'],
  });
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors');
  const row = page.locator('[data-row="invoices"]');
  await row.getByRole('img', { name: /Alerts are muted by the maintenance window/ }).waitFor();
  await page.goto(`${harness.url}/o/acme/maintenance`);
  const active = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: /Patch day until/ }) });
  await active.getByText(/^Invoice export: alerts are muted/).waitFor();
  await active.getByRole('button', { name: 'End window' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/will be sent within seconds/).waitFor();
  await dialog.getByRole('button', { name: 'End window' }).click();
  await page.getByText('Maintenance window Patch day has ended.').first().waitFor();
  await active.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
  await context.close();
});

test('a private board has a link, and the URL path of a new board is free', async () => {
  await api('boards', { slug: 'team', name: 'Team', public: false, groups: [] });
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/boards');
  await page.getByRole('link', { name: '/boards/team' }).waitFor();
  await page.goto(`${harness.url}/o/acme/boards/new`);
  const slug = page.getByLabel('URL path');
  await slug.waitFor();
  assert.equal(await slug.inputValue(), 'status-2');
  await page.getByText('Members can open the board at /boards/status-2.').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('the form of a channel does not claim that an optional secret is set', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/channels');
  await page.locator('[data-row]').filter({ hasText: 'chat' }).click();
  const secret = page.getByLabel(/^Signing secret/);
  await secret.waitFor();
  assert.equal(await secret.getAttribute('placeholder'), 'Not shown');
  await page.getByText('Leave empty to keep the current value, if there is one.').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a failed delivery that is retried shows the time of the next attempt', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/channels');
  await page.route('**/api/monitoring/alerts?**', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const delivery of body.data.flatMap((alert: { deliveries: object[] }) => alert.deliveries))
      Object.assign(delivery, {
        state: 'pending',
        status: 403,
        error: 'the receiver responded with HTTP 403',
        sent_at: null,
        due_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
    await route.fulfill({ json: body });
  });
  await page.reload();
  const row = page.locator('[data-row]').filter({ hasText: 'chat' });
  await row.getByText(/^403, next attempt in /).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('what a receiver refused is sent again once it was repaired', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/alerts');
  await page.getByText('responded with HTTP 403').first().waitFor();
  repaired = true;
  await page.getByRole('button', { name: 'Retry delivery' }).first().click();
  await page.getByText('Message queued for delivery.').first().waitFor();
  await page
    .getByText(/delivered/)
    .first()
    .waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('alerts are a list that links to what they are about', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/alerts');
  await page.getByText('Invoice export is failing').first().waitFor();
  await takeScreenshot(page, 'alerts-desktop-light');
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Invoice export' }).first().click();
  await page.waitForURL(/monitors\/invoices/);
  assert.deepEqual(faults, []);
  await context.close();
});
