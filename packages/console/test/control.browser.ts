import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { callHttp } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { expireStepUp, MEMBER_PASSWORD, type MemberHarness, startMemberHarness } from './member-harness.ts';
import { periodUnderWay } from './period-under-way.ts';

/** What holds requests back, from the page that sets it to the request it refused and the log that keeps who did. */

let harness: MemberHarness;
let upstream: FakeUpstream;
const MANAGEMENT = '/o/acme/management';
/** 31 tokens of output at $300 per million. */
const PRICE = { input: 0, output: 300 };

before(async () => {
  upstream = await startFakeUpstream({ recordings: [loadProjectRecording('openai', 'text')] });
  harness = await startMemberHarness();
  harness.signInAs('admin');
  const paid = { id: 'paid', kind: 'openai-compatible', base_url: `${upstream.url}/v1`, api_key: 'sk-x' };
  await made('/api/management/providers', { ...paid, models: ['model'], prices: { model: PRICE } });
  await made('/api/management/routes', { model: 'faq', targets: ['paid/model'], retries: 0 });
});
after(async () => {
  await harness.close();
  await upstream.close();
});

/** Makes something as the admin; its fields. */
async function made(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await harness.ask('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return isJsonObject(answer.body) ? answer.body : {};
}

/** One request with a key: its status, and what the cache did with it. */
async function ask(key: string, model = 'sandbox/echo') {
  const { status, headers } = await callHttp(`${harness.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model, max_tokens: 31, messages: [{ role: 'user', content: 'Where is my parcel?' }] },
  });
  return { status, cache: headers['x-floe-cache'], id: String(headers['x-request-id']) };
}

/** A key of the org with the gateway's scope. */
async function keyNamed(name: string) {
  const { id, key } = await made('/api/management/keys', { name, scopes: ['gateway'] });
  return { id: String(id), key: String(key) };
}

const at = (page: Page, path: string) => page.goto(`${harness.url}/o/acme${path}`);

function secondsIn(text: string): number {
  return Number(/can retry in (\d+) s/.exec(text)?.[1]);
}

/** Waits until the list knows that a key was used, which takes about a second. */
async function usedLately(id: string): Promise<void> {
  await eventually(async () => {
    const { body } = await harness.ask('GET', `/api/management/keys/${id}`);
    return (isJsonObject(body) && body['last_used_at'] !== null) || undefined;
  });
}

test('the third request of two a minute is a row that names the limit and counts the wait down; the bar is full', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/keys`);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('ci-slow');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Show key' }).click();
  const key = await page.locator('[data-secret]', { hasNotText: '•' }).innerText();
  await page.getByRole('button', { name: 'I have saved this key' }).click();
  await at(page, '/management/limits?open=new');
  await page.getByLabel('Applies to').selectOption('scope:key');
  await page.getByRole('combobox', { name: 'Key' }).fill('ci-slow');
  await page.getByLabel('Name').fill('two-a-minute');
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('two');
  await page.locator('form').getByRole('button', { name: 'Create limit' }).click();
  // The message stands under its field, without the field's name in the words of the API before it.
  await page.getByText(/^Must be a/).waitFor();
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('2');
  await page.getByText('Key ci-slow can send at most 2 requests in any 60 seconds').waitFor();
  await page.locator('form').getByRole('button', { name: 'Create limit' }).click();
  await page.waitForURL(/open=lim/);
  const answers = [await ask(key), await ask(key), await ask(key)];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 429],
  );
  await at(page, '/requests?key=ci-slow');
  const rows = page.getByRole('row', { name: /sandbox\/echo/ });
  await rows.nth(2).waitFor();
  assert.match(await rows.nth(0).innerText(), /429\s+rate limit/);
  await rows.nth(0).click();
  const why = page.getByRole('region', { name: 'Why the request was rejected' });
  await why.getByText('The limit "two-a-minute" allows 2 requests in 60 seconds').waitFor();
  const left = () => why.getByText(/can retry in \d+ s/).innerText();
  const first = await left();
  await page.waitForFunction((before) => !document.body.innerText.includes(before), first);
  assert.ok(secondsIn(await left()) < secondsIn(first), 'the wait counts down');
  await takeScreenshot(page, 'request-refused-desktop-light');
  await assertAccessible(page);
  await why.getByRole('link', { name: 'Open limit' }).click();
  await page.waitForURL(/limits\?open=lim/);
  const bar = page.getByRole('region', { name: 'Limit' }).getByRole('meter', { name: 'Requests per minute' });
  await bar.waitFor();
  assert.deepEqual(
    [await bar.getAttribute('aria-valuetext'), await bar.getAttribute('aria-valuenow')],
    ['2 of 2', '2'],
  );
  await page
    .getByText(
      /Limit reached\. New requests are rejected with status 429\. The full limit is available again in \d+ s/,
    )
    .waitFor();
  await takeScreenshot(page, 'limit-full-desktop-light');
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('one route is cached: the repeated request is free and says what it saved, until the cache is emptied', async () => {
  const { key } = await keyNamed('faq-page');
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/cache`, { dark: true });
  await page.getByLabel('Cache setting for faq').selectOption('on');
  await page.getByText('Caching is enabled for route faq.').first().waitFor();
  assert.deepEqual([(await ask(key, 'faq')).cache, (await ask(key, 'faq')).cache], ['miss', 'hit']);
  assert.equal((await ask(key, 'paid/model')).cache, undefined, 'only that route');
  await at(page, '/requests?key=faq-page&state=cached');
  const row = page.getByRole('row', { name: /200 cached/ });
  await row.waitFor();
  assert.match(await row.innerText(), /\$0(\s|$)/);
  await row.click();
  await page.getByText(/Answered from the cache: \$0 instead of \$0\.0093/).waitFor();
  await at(page, '/management/cache');
  await page.getByText('$0.0093', { exact: true }).waitFor();
  await takeScreenshot(page, 'cache-route-desktop-dark');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Clear cache' }).click();
  const empty = page.getByRole('dialog').getByRole('button', { name: 'Clear cache' });
  assert.equal(await empty.getAttribute('aria-disabled'), 'true');
  await page.getByText('saved $0.0093').waitFor();
  await page.getByLabel('Type clear to confirm').fill('clear');
  await empty.click();
  await page.getByText('The cache was cleared.').first().waitFor();
  assert.equal((await ask(key, 'faq')).cache, 'miss');
  const traffic = page.waitForRequest(/analytics\/top\?by=provider/);
  await at(page, '/management/providers');
  assert.match((await traffic).url(), /outcome=(!|%21)cached/, 'the provider received no cached request');
  assert.deepEqual(faults, []);
  await context.close();
});

test('a key that was used a second ago is revoked by typing its name, and its next request is refused', async () => {
  const { id, key } = await keyNamed('web-prod');
  assert.equal((await ask(key)).status, 200);
  await usedLately(id);
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/keys/${id}`);
  await page.getByRole('button', { name: 'Revoke key' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Revoke key' });
  await dialog.getByLabel('Type web-prod to confirm').waitFor();
  assert.equal(await confirm.getAttribute('aria-disabled'), 'true', 'it is in use: its name is wanted');
  await assertAccessible(page);
  await dialog.getByLabel('Type web-prod to confirm').fill('web-prod');
  await confirm.click();
  await page
    .getByText(/Key .+ was revoked at .+\. Requests that use it are rejected\./)
    .first()
    .waitFor();
  assert.equal((await ask(key)).status, 401);
  await at(page, '/management/keys?show=ended');
  const row = page.getByRole('row', { name: /web-prod.*Revoked .* by admin@acme\.example/s });
  await row.waitFor();
  await takeScreenshot(page, 'keys-ended-desktop-light');
  await at(page, `/management/audit?subject=${id}`);
  await page.getByRole('row', { name: /admin@acme\.example.*Revoked key web-prod/s }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('the old value of a rotated key is ended from its page, and the new one works on', async () => {
  const { id, key: old } = await keyNamed('rotated');
  const rotated = await harness.ask('POST', `/api/management/keys/${id}/rotate`, {});
  const next = isJsonObject(rotated.body) ? String(rotated.body['key']) : '';
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/keys/${id}`);
  await page.getByRole('button', { name: 'Expire old value' }).click();
  const dialog = page.getByRole('dialog', { name: 'Expire the old value of key “rotated”?' });
  await dialog.getByText('The old value stops working immediately').waitFor();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Expire old value' }).click();
  await page.getByText('The old value of key rotated has expired.').first().waitFor();
  await page.getByText('Previous value').waitFor({ state: 'detached' });
  assert.deepEqual([(await ask(old)).status, (await ask(next)).status], [401, 200]);
  assert.deepEqual(faults, []);
  await context.close();
});

test('the keys of the playground stay out of the list until they are asked for', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const name = 'admin-console-x1y2';
  await made('/api/management/keys', { name, scopes: ['gateway'], expires_at: soon });
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/keys`, {
    phone: true,
    dark: true,
  });
  await page.getByLabel('Show playground keys (1)').waitFor();
  assert.equal(await page.getByText(name).count(), 0);
  await page.getByLabel('Show playground keys (1)').click();
  await page.getByText(name).waitFor();
  await takeScreenshot(page, 'keys-playground-phone-dark');
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('what is typed is not lost by a slip: leaving asks once, and ⌘S saves', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/routes/faq`);
  await page.getByLabel('Retries per target').fill('3');
  await page.getByRole('link', { name: 'Limits' }).first().click();
  await page.getByRole('dialog', { name: 'Discard unsaved changes?' }).waitFor();
  await takeScreenshot(page, 'leave-question-desktop-light');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByLabel('Retries per target').inputValue(), '3');
  await page.getByLabel('Retries per target').press('Control+s');
  await page.getByText('Requests in progress are not affected.').first().waitFor();
  await page.getByRole('link', { name: 'Limits' }).first().click();
  await page.waitForURL(/management\/limits/);
  await page.getByRole('button', { name: 'Create limit' }).first().click();
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('7');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForURL((url) => !url.searchParams.has('open'));
  assert.deepEqual(faults, []);
  await context.close();
});

test('a budget that is overspent refuses and needs somebody; raising it asks why and who, and the log keeps both', async () => {
  const { key } = await keyNamed('demo');
  // Long before it is needed: the server keeps what it read of a session for a moment.
  expireStepUp(harness.floe);
  const { page, context, faults } = await openConsolePage(harness, `${MANAGEMENT}/budgets?open=new`);
  await page.getByLabel('Name', { exact: true }).fill('demo-cent');
  await page.getByLabel('Applies to').selectOption('scope:key');
  await page.getByRole('combobox', { name: 'Key' }).fill('demo');
  await page.getByLabel('Limit (USD)').fill('0.01');
  const { period, isExceeded } = periodUnderWay(new Date());
  await page.getByLabel('Resets every').selectOption(period);
  await page.locator('form').getByRole('button', { name: 'Create budget' }).click();
  await page.waitForURL(/open=bud/);
  assert.equal((await ask(key, 'paid/model')).status, 200);
  assert.equal((await ask(key, 'paid/model')).status, 402);
  await at(page, '/requests?key=demo&status=402');
  const row = page.getByRole('row', { name: /402\s+budget/ });
  await row.click();
  await page.getByText('The $0.01 budget "demo-cent" cannot cover this request').first().waitFor();
  await at(page, '/overview');
  const entry = page.getByRole('link', { name: /High budget usage: demo-cent 9\d% used/ });
  await entry.waitFor();
  await takeScreenshot(page, 'overview-budget-desktop-light');
  await entry.click();
  await page.waitForURL(/budgets\?open=bud/);
  const drawer = page.getByRole('region', { name: 'Budget', exact: true });
  const forecast = isExceeded ? /Projected to be used up by \d+ \w+/ : /(^\$[\d.]+|used up) by \d+ \w+/;
  await drawer.getByText(forecast).first().waitFor();
  await drawer.getByText('The forecast is linear').waitFor();
  await takeScreenshot(page, 'budget-overspent-desktop-light');
  await assertAccessible(page);
  await page.getByLabel('Limit (USD)').fill('1');
  await page.getByRole('button', { name: 'Save budget' }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('The demo for the board');
  await takeScreenshot(page, 'budget-reason-desktop-light');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('dialog').getByLabel('Password').fill(MEMBER_PASSWORD);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Budget demo-cent was saved.').first().waitFor();
  await at(page, '/management/audit');
  await page
    .getByRole('row', { name: /Confirmed own identity/ })
    .first()
    .waitFor();
  await page
    .getByRole('row', { name: /Changed budget demo-cent/ })
    .first()
    .click();
  const change = page.getByRole('region', { name: 'Change' });
  await change.getByText('The demo for the board').waitFor();
  await change.getByText('admin@acme.example').first().waitFor();
  await takeScreenshot(page, 'audit-reason-desktop-light');
  assert.deepEqual(faults, []);
  await context.close();
});
