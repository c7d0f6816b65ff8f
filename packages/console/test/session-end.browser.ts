import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

let harness: MemberHarness;
before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

test('if a session ends, a page with unsaved changes stays, and can be saved after a new sign-in', async () => {
  harness.signInAs('owner');
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors/new');
  await page.getByLabel('Name').fill('Nightly report');
  const cookies = await context.cookies();
  await context.clearCookies();
  // A background request may find the end of the session first. The question then hides the button until it
  // is answered.
  const clicked = page.getByRole('button', { name: 'Create monitor' }).dispatchEvent('click');
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await Promise.all([clicked, question.getByRole('button', { name: 'Cancel' }).click()]);
  await page.getByText('Your session has ended.').waitFor();
  await page.getByText('You are signed out because').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Nightly report');
  await takeScreenshot(page, 'session-ended-desktop-light');
  await assertAccessible(page);
  const [other] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Open sign-in page' }).click(),
  ]);
  await other.getByLabel('Password').waitFor();
  await context.addCookies(cookies);
  await other.close();
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.waitForURL(/monitors\/nightly-report$/);
  assert.deepEqual(faults, []);
  await context.close();
});

test('if a session ends, a page without unsaved changes opens the sign-in page', async () => {
  harness.signInAs('owner');
  const { page, context } = await openConsolePage(harness, '/o/acme/monitors');
  await page.getByRole('heading', { name: 'Monitors' }).waitFor();
  await context.clearCookies();
  // The user does nothing. A background request of the page is rejected.
  await page.waitForURL(/sign-in\?next=/);
  await page.getByText('You were signed out because your session expired or was ended.').waitFor();
  await page.getByLabel('Password').waitFor();
  await context.close();
});

test('if a session ends, a link that replaces the redirect delays the redirect by one page', async () => {
  harness.signInAs('owner');
  const { page, context } = await openConsolePage(harness, '/o/acme/monitors');
  await page.getByRole('heading', { name: 'Monitors' }).waitFor();
  const { promise: isClicked, resolve: clicked } = Promise.withResolvers<void>();
  await page.route(/sign-in[^/]*\.js/, async (route) => {
    await isClicked;
    await route.continue();
  });
  const asked = page.waitForRequest(/sign-in[^/]*\.js/);
  await context.clearCookies();
  await page.getByRole('link', { name: 'Routes' }).click();
  await asked;
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.getByRole('heading', { name: 'Channels', exact: true }).waitFor();
  clicked();
  await page.getByLabel('Password').waitFor();
  assert.match(page.url(), /sign-in\?next=/);
  await context.close();
});

test('each request of a page names the organization of the page, because another tab can switch the session', async () => {
  harness.signInAs('owner');
  const { page, context } = await openConsolePage(harness, '/o/acme/monitors');
  const orgs: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (/\/api\/(management|monitoring|analytics)\//.test(request.url()))
      orgs.push(request.headers()['x-floe-org']);
  });
  await page.getByRole('link', { name: 'Budgets' }).click();
  await page.getByRole('heading', { name: 'Budgets', exact: true }).waitFor();
  assert.ok(orgs.length > 0);
  assert.deepEqual([...new Set(orgs)], ['acme']);
  await context.close();
});

test('a prompt of the playground is in the tab only until its user signs out', async () => {
  harness.signInAs('admin');
  const { page, context } = await openConsolePage(harness, '/o/acme/playground');
  const stored = () => page.evaluate('JSON.stringify({ ...sessionStorage })').then(String);
  await page.getByLabel('User').fill('Only for Acme');
  await page.reload();
  assert.equal(await page.getByLabel('User').inputValue(), 'Only for Acme');
  assert.match(await stored(), /floe\.playground\.usr_\w+\.acme/);
  await page.getByRole('button', { name: /Some admin/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Password').waitFor();
  assert.doesNotMatch(await stored(), /Only for Acme/);
  await context.close();
});

test('requests of a page that nobody has used for a minute do not count as use of the session', async () => {
  harness.signInAs('owner');
  const { page, context } = await openConsolePage(harness, '/o/acme/monitors');
  await page.clock.install();
  await page.reload();
  await page.getByRole('heading', { name: 'Monitors' }).waitFor();
  const refetch = async () => {
    const asked = page.waitForRequest(/\/api\/session$/);
    await page.clock.runFor(60_000);
    const request = await asked;
    // While a request is in progress, the page does not send the next one.
    await (await request.response())?.finished();
    await page.clock.runFor(100);
    return request.headers()['x-floe-background'];
  };
  await refetch();
  assert.equal(await refetch(), 'true');
  await page.clock.runFor(30_000);
  await page.keyboard.press('Shift');
  assert.equal(await refetch(), undefined, 'a person types in a form');
  assert.equal(await refetch(), 'true');
  await context.close();
});
