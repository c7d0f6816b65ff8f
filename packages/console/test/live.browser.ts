import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  CONSOLE_KEY,
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

let harness: ConsoleHarness;

async function newestId(): Promise<string> {
  const answer = await callHttp(`${harness.floe.url}/api/analytics/requests?limit=1`, {
    headers: { 'x-api-key': CONSOLE_KEY },
  });
  const body = answer.json();
  const [row] = isJsonObject(body) && Array.isArray(body['data']) ? body['data'] : [];
  return isJsonObject(row) ? String(row['id']) : '';
}

before(async () => {
  harness = await startConsoleHarness();
  for (let n = 0; n < 30; n += 1) await harness.chat('sandbox/echo');
  await waitForWrittenRows(harness, '', 30);
});
after(() => harness.close());

test('a view is saved, named in the link, told when it is edited, and deleted', async () => {
  const { page, context, faults } = await openConsolePage(
    harness,
    '/o/acme/requests?range=1h&model=echo&live=0',
  );
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name').fill('Only echo');
  await assertAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await page.waitForURL(/view=viw_/);
  const view = new URL(page.url()).searchParams.get('view') ?? '';
  await page.getByRole('button', { name: 'Only echo' }).waitFor();
  await takeScreenshot(page, 'requests-saved-view');
  await page.goto(`${harness.url}/o/acme/requests?view=${view}`);
  await page.waitForURL(/model=echo/);
  await page.getByRole('button', { name: 'Remove filter model' }).click();
  await page.getByRole('button', { name: 'Edit view (unsaved changes)' }).click();
  await page.getByRole('menuitem', { name: 'Discard changes' }).click();
  await page.waitForURL(/model=echo/);
  await page.getByRole('button', { name: 'Edit view', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete view' }).click();
  await page.waitForURL((url) => !url.searchParams.has('view'));
  assert.equal(await page.getByRole('button', { name: 'Only echo' }).count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test('without kept bodies the tab says where to turn them on; a viewer is told who may look', async () => {
  const id = await newestId();
  const { page, context, faults } = await openConsolePage(harness, `/o/acme/requests/${id}`);
  await page.getByRole('tab', { name: 'Bodies' }).click();
  await page.getByText('No bodies are available for this request').waitFor();
  harness.signInAs('viewer');
  await page.reload();
  await page.getByRole('tab', { name: 'Bodies' }).click();
  await page.getByText('Bodies are not available to viewers').waitFor();
  await assertAccessible(page);
  harness.signInAs('owner');
  assert.deepEqual(faults, []);
  await context.close();
});

test('every tab says that it is live, and the next one reads for all once the first is closed', async () => {
  const { page: first, context, faults } = await openConsolePage(harness, '/o/acme/management/breakers');
  await first.getByText('Live', { exact: true }).waitFor();
  const second = await context.newPage();
  await second.goto(`${harness.url}/o/acme/management/breakers`);
  await second.getByText('Live', { exact: true }).waitFor();
  const third = await context.newPage();
  await third.goto(`${harness.url}/o/acme/alerts`);
  await third.getByText('Live', { exact: true }).waitFor();
  const read = second.waitForRequest((request) => request.url().includes('/api/events?'));
  await first.close();
  const topics = new URL((await read).url()).searchParams.get('topics')?.split(',') ?? [];
  assert.ok(
    ['alerts', 'breakers', 'config'].every((topic) => topics.includes(topic)),
    topics.join(),
  );
  await third.getByText('Live', { exact: true }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
