import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callHttp } from '@floe/testkit/http-client';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { MEMBER_PASSWORD, type MemberHarness, startMemberHarness } from './member-harness.ts';

let harness: MemberHarness;
before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

const LIGHT = {};
const PHONE_DARK = { phone: true, dark: true };

/** How the gateway answers a key: the status. */
async function statusOf(key: string): Promise<number> {
  const answer = await callHttp(`${harness.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] },
  });
  return answer.status;
}

test('a key is made, shown once, used, revoked by its name and refused from then on', async () => {
  harness.signInAs('admin');
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/keys', LIGHT);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('ci-runner');
  await takeScreenshot(page, 'keys-new-desktop-light');
  await assertAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const value = page.locator('[data-secret]');
  await value.waitFor();
  assert.match(await value.innerText(), /•/, 'masked until it is asked for');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show key' }).click();
  const key = await page.locator('[data-secret]', { hasNotText: '•' }).innerText();
  await page.getByRole('button', { name: 'I have saved this key' }).click();
  assert.equal(await statusOf(key), 200);
  await page.getByRole('row', { name: /ci-runner/ }).waitFor();
  await takeScreenshot(page, 'keys-desktop-light');
  await assertAccessible(page);
  await page.getByRole('row', { name: /ci-runner/ }).click();
  await page.waitForURL(/keys\/key_/);
  await page.getByText('Created key ci-runner').waitFor();
  await takeScreenshot(page, 'key-desktop-light');
  await page.getByRole('button', { name: 'Revoke key' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Revoke key' });
  await page.getByLabel('Type ci-runner to confirm').fill('ci-runner');
  await confirm.click();
  await page
    .getByText(/Key .+ was revoked at .+\. Requests that use it are rejected\./)
    .first()
    .waitFor();
  assert.equal(await statusOf(key), 401);
  await page.getByText('Revoked key ci-runner').waitFor();
  await page.getByRole('link', { name: 'View all changes' }).click();
  await page.getByRole('row', { name: /Revoked key ci-runner/ }).click();
  await page.getByRole('heading', { name: 'Fields' }).waitFor();
  await takeScreenshot(page, 'audit-drawer-desktop-light');
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('somebody is invited by a link and comes in by it, into the role it gives', async () => {
  harness.signInAs('owner');
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/members', LIGHT);
  await page.getByRole('row', { name: /Some viewer/ }).waitFor();
  await takeScreenshot(page, 'members-desktop-light');
  await page.getByRole('button', { name: 'Invite member' }).first().click();
  await page.getByLabel('Email').fill('ana@acme.example');
  await page.getByLabel('Team').selectOption('platform');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await page.getByRole('button', { name: 'Show link' }).click();
  const link = await page.locator('[data-secret]', { hasNotText: '•' }).innerText();
  await takeScreenshot(page, 'invitation-made-desktop-light');
  await page.getByRole('button', { name: 'I have saved this link' }).click();
  harness.signInAs(null);
  const guest = await openConsolePage(harness, link.slice(harness.url.length), PHONE_DARK);
  await guest.page.getByRole('heading', { name: 'Join Acme' }).waitFor();
  await takeScreenshot(guest.page, 'invitation-phone-dark');
  await assertAccessible(guest.page);
  await guest.page.getByLabel('Name').fill('Ana Silva');
  await guest.page.getByLabel('Password').fill(MEMBER_PASSWORD);
  await guest.page.getByRole('button', { name: 'Accept invitation' }).click();
  await guest.page.waitForURL(/\/o\/acme\//);
  await page.getByRole('row', { name: /Ana Silva.*Member.*platform/s }).waitFor();
  assert.deepEqual([...faults, ...guest.faults], []);
  await guest.context.close();
  await context.close();
});

test('the last owner is held, and a viewer sees everything, changes nothing and is refused by the server', async () => {
  harness.signInAs('viewer');
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/members', PHONE_DARK);
  await page.getByRole('row', { name: /Mara Koch/ }).click();
  await page.getByText('You cannot change the role of the last owner').waitFor();
  await takeScreenshot(page, 'member-viewer-phone-dark');
  await assertAccessible(page);
  assert.equal(await page.getByRole('button', { name: 'Save member' }).getAttribute('aria-disabled'), 'true');
  const status = await page.evaluate(async () => {
    const answer = await fetch('api/management/settings', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"stored_responses":false}',
    });
    return answer.status;
  });
  assert.equal(status, 403);
  const { body } = await harness.ask('GET', '/api/management/settings');
  assert.match(JSON.stringify(body), /"stored_responses":true/);
  assert.deepEqual(faults, []);
  await context.close();
});

test('settings say where they stand, and a change by somebody else is shown before it is overwritten', async () => {
  harness.signInAs('admin');
  const { page, context, faults } = await openConsolePage(
    harness,
    '/o/acme/management/settings/data',
    PHONE_DARK,
  );
  await page.getByText('To make changes, edit the file').first().waitFor();
  await takeScreenshot(page, 'settings-data-phone-dark');
  await assertAccessible(page);
  const keys = page.getByLabel('Metadata keys');
  await keys.fill('team');
  await harness.ask('PATCH', '/api/management/settings', { analytics: { metadata_keys: ['app'] } });
  await page.getByRole('button', { name: 'Save data settings' }).click();
  await page.getByText('saved changes while you were editing').waitFor();
  await page.getByRole('button', { name: 'Save my changes' }).click();
  await page.getByText('Data settings saved.').first().waitFor();
  const { body } = await harness.ask('GET', '/api/management/settings');
  assert.match(JSON.stringify(body), /"metadata_keys":\["team"\]/);
  assert.deepEqual(faults, []);
  await context.close();
});

test('another org of the person is entered by its link', async () => {
  harness.signInAs('owner');
  const made = await harness.ask('POST', '/api/management/orgs', { id: 'lab', name: 'Laboratory' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { page, context, faults } = await openConsolePage(
    harness,
    '/o/acme/management/settings/configuration',
    LIGHT,
  );
  await page.getByRole('heading', { name: 'Running configuration' }).waitFor();
  await takeScreenshot(page, 'configuration-desktop-light');
  await assertAccessible(page);
  await page.getByRole('button', { name: /Acme/ }).click();
  await page.getByRole('menuitem', { name: 'Laboratory' }).click();
  await page.waitForURL(/\/o\/lab\//);
  await page.getByRole('button', { name: /Laboratory/ }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('where a fresh sign-in is wanted it is asked for, and the change goes on by itself', async () => {
  harness.signInAs('admin');
  const { page, context, faults } = await openConsolePage(
    harness,
    '/o/acme/management/settings/account',
    LIGHT,
  );
  await page.getByText('this session').waitFor();
  await takeScreenshot(page, 'account-desktop-light');
  await assertAccessible(page);
  let refusals = 0;
  // A session just begun is fresh: the refusal an older one would get is put in its place, once.
  await page.route('**/api/me', (route) => {
    if (route.request().method() !== 'PATCH' || refusals > 0) return route.continue();
    refusals += 1;
    const error = {
      message: 'Confirm who you are.',
      type: 'permission_error',
      param: null,
      code: 'step_up_required',
    };
    return route.fulfill({ status: 403, json: { error } });
  });
  await page.getByLabel('Name').fill('Some Body');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor();
  await takeScreenshot(page, 'step-up-desktop-light');
  await assertAccessible(page);
  await page.getByRole('dialog').getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.getByRole('dialog').getByLabel('Password').fill(MEMBER_PASSWORD);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Name saved.').first().waitFor();
  // By the page's own session: other tests of this file replaced theirs.
  const members: string = await page.evaluate(
    "fetch('/api/management/members').then((answer) => answer.text())",
  );
  assert.match(members, /Some Body/);
  assert.equal(refusals, 1);
  assert.deepEqual(faults, []);
  await context.close();
});
