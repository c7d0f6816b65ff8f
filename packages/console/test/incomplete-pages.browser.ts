import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** Pages that have only part of their code or their data, and what they say about it. */

const MANAGEMENT = '/o/acme/management';
let harness: MemberHarness;

before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

const errorBody = (code: string, message: string) => ({ error: { code, message, param: null } });

test('if a script of the console is missing, the page says so and loads itself again', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  await page.route(/assets\/index-[^/]*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(`${harness.url}/o/acme/overview`);
  await page.getByText('The console could not be loaded. Trying again in 5 seconds.').waitFor();
  await page.unroute(/assets\/index-[^/]*\.js$/);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await context.close();
});

test('data that cannot be refreshed stays with a banner that says why and since when', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/limits`);
  await page.getByRole('heading', { name: 'Limits', exact: true }).waitFor();
  await page.route(/\/api\/management\/limits\?/, (route) =>
    route.fulfill({ status: 500, json: errorBody('internal', 'The server failed.') }),
  );
  const banner = page.getByText(/^Some data on this page is outdated\. It was last refreshed at /);
  await banner.getByText(/The server failed\.$/).waitFor();
  await page.unroute(/\/api\/management\/limits\?/);
  await banner.waitFor({ state: 'detached' });
  await context.close();
});

test('a person without a password confirms their identity with the identity provider', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  await page.route(/\/api\/session$/, async (route) => {
    const answer = await route.fetch();
    const methods = { password: false, passkey: false, oidc: [{ name: 'Okta' }] };
    return route.fulfill({ json: { ...(await answer.json()), methods } });
  });
  await page.route(/\/api\/management\/keys$/, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 403, json: errorBody('step_up_required', 'Confirm.') })
      : route.continue(),
  );
  await page.goto(`${harness.url}${MANAGEMENT}/keys`);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ci');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Confirm with Okta' }).waitFor();
  assert.equal(await page.getByLabel('Password').count(), 0);
  await context.close();
});

test('a sorted list loads all its pages, because the first row can be on the last page', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  await page.route(/\/api\/management\/models\?/, async (route) => {
    const url = new URL(route.request().url());
    const isLast = url.searchParams.get('cursor') === 'next';
    url.searchParams.delete('cursor');
    const answer = await (await route.fetch({ url: url.href })).json();
    const named = (id: string) => ({ ...answer.data[0], id });
    const data = isLast ? [named('a/first')] : Array.from({ length: 200 }, (_, n) => named(`b/${n}`));
    await route.fulfill({ json: { data, next_cursor: isLast ? null : 'next' } });
  });
  await page.goto(`${harness.url}${MANAGEMENT}/models?sort=id`);
  await page.locator('[data-index="0"][data-row="a/first"]').waitFor();
  await page.locator('[role=table][aria-busy=false]').waitFor();
  await context.close();
});
