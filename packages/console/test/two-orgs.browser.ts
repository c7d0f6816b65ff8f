import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/**
 * A person opens two organizations in two tabs of one browser, which share one session. The session is in one
 * organization. A tab must never read or change the organization of the other tab.
 */

let harness: MemberHarness;
let page: Page;
let second: Page;
before(async () => {
  harness = await startMemberHarness();
  const { status } = await harness.ask('POST', '/api/management/orgs', { id: 'other', name: 'Other' });
  assert.equal(status, 201);
  // Each switch replaces the cookie, so both tests use the same tabs.
  const opened = await openConsolePage(harness, '/o/acme/monitors/new');
  page = opened.page;
  second = await opened.context.newPage();
});
after(() => harness.close());

/** Switches to an organization in the second tab, and returns the names of its monitors. */
async function listMonitors(org: string): Promise<readonly unknown[]> {
  const body: unknown = await second.evaluate(async (id) => {
    const headers = { 'content-type': 'application/json' };
    const query = { method: 'POST', headers, body: JSON.stringify({ org_id: id }) };
    await fetch('api/session/org', query);
    return (await fetch('api/monitoring/monitors')).json();
  }, org);
  const rows = isJsonObject(body) && Array.isArray(body['data']) ? body['data'] : [];
  return rows.map((row) => (isJsonObject(row) ? row['name'] : null));
}

test('a tab whose organization another tab left keeps its form, changes nothing, and can switch back', async () => {
  await page.getByLabel('Name', { exact: true }).fill('Only in acme');
  await second.goto(`${harness.url}/o/other/monitors`);
  await second.getByText('No monitors').waitFor();
  const submit = page.getByRole('button', { name: 'Create monitor' });
  await submit.click();
  const banner = page.getByText('You switched to Other in another tab.');
  await banner.waitFor();
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Only in acme');
  await takeScreenshot(page, 'session-moved-desktop-light');
  await assertAccessible(page);
  assert.deepEqual(await listMonitors('other'), []);
  await page.getByRole('button', { name: 'Switch back to Acme' }).click();
  await banner.waitFor({ state: 'detached' });
  await submit.click();
  await page.waitForURL(/\/o\/acme\/monitors\/only-in-acme$/);
  assert.deepEqual(await listMonitors('other'), []);
  assert.ok((await listMonitors('acme')).includes('Only in acme'));
});

test('a download of a tab never contains the other organization', async () => {
  await page.goto(`${harness.url}/o/acme/management/audit`);
  await page.getByRole('button', { name: 'Export audit log' }).waitFor();
  await listMonitors('other');
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export audit log' }).click();
  await page.getByRole('menuitem').first().click();
  const download = await started;
  assert.equal(new URL(download.url()).searchParams.get('x-floe-org'), 'acme');
  assert.notEqual(await download.failure(), null);
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
});

test('a tab that follows another tab to its organization shows nothing of the previous one', async () => {
  await page.goto(`${harness.url}/o/acme/monitors`);
  await page.getByText('Only in acme').waitFor();
  await listMonitors('other');
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('You switched to Other in another tab.').waitFor();
  await page.getByRole('button', { name: /^Acme/ }).click();
  await page.getByRole('menuitem', { name: 'Other' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  // The response never arrives, so only rows that the tab already has could be shown.
  await page.route(/api\/monitoring\/monitors/, () => undefined);
  await page.getByRole('link', { name: 'Monitors', exact: true }).click();
  await page.getByRole('heading', { name: 'Monitors', exact: true }).waitFor();
  assert.equal(await page.getByText('Only in acme').count(), 0);
  await page.unroute(/api\/monitoring\/monitors/);
});

test('a failed switch can be tried again', async () => {
  await page.route(/api\/session\/org/, (route) => route.abort());
  await page.goto(`${harness.url}/o/acme/monitors`);
  await page.getByText('Could not switch to organization acme.').waitFor();
  await page.unroute(/api\/session\/org/);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('Only in acme').waitFor();
});

test('a tab shows nothing of its user to another person who signs in with the same browser', async () => {
  await page.goto(`${harness.url}/o/acme/management/settings/account`);
  await page.getByText('mara@acme.example').first().waitFor();
  harness.signInAs('admin');
  await page.context().addCookies([...(harness.cookies?.() ?? [])]);
  const reloaded = page.waitForEvent('load');
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await reloaded;
  await page.getByText('admin@acme.example').first().waitFor();
  assert.equal(await page.getByText('mara@acme.example').count(), 0);
});
