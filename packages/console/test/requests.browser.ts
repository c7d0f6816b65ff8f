import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

let harness: ConsoleHarness;
const ids: string[] = [];
const SECOND = `eis_second${'0'.repeat(32)}`;

before(async () => {
  harness = await startConsoleHarness();
  for (let n = 0; n < 12; n += 1)
    ids.push(await harness.chat('sandbox/echo', { metadata: { team: n % 2 ? 'growth' : 'search' } }));
  ids.push(await harness.chat('smart'), await harness.chat('sandbox/none'));
  ids.push(await harness.chat('sandbox/echo', { stream: true }));
  ids.push(
    await harness.chat('sandbox/echo', { key: SECOND }),
    await harness.chat('sandbox/echo', { key: SECOND }),
  );
  await waitForWrittenRows(harness, '', 17);
});
after(() => harness.close());

for (const [name, look] of [
  ['desktop-light', {}],
  ['desktop-dark', { dark: true }],
  ['phone-light', { phone: true }],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`the request list is usable by everyone and breaks no policy: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h', look);
    await page.getByRole('row').nth(3).waitFor();
    await takeScreenshot(page, `requests-${name}`);
    await assertAccessible(page);
    await page.getByRole('row').nth(2).click();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await takeScreenshot(page, `requests-drawer-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`a request explains itself on a page of its own: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, `/o/acme/requests/${ids[12]}`, look);
    await page.getByRole('heading', { name: 'Why this route?' }).waitFor();
    await page.getByText('Authentication, limits, policies, cache').waitFor();
    await takeScreenshot(page, `request-page-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

test('a filter stands in the URL and survives a reload and Back', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  await page.getByRole('row').nth(3).waitFor();
  await page.locator('[data-filter]').waitFor();
  await page.keyboard.press('/');
  await page.locator('[data-filter]:focus').waitFor();
  await page.keyboard.type('metadata.team:growth');
  await page.keyboard.press('Enter');
  await page.waitForURL(/metadata\.team=growth/);
  const filtered = page.getByRole('table', { name: 'Requests' });
  await page.waitForFunction(() => document.querySelectorAll('[data-row]').length === 6);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('[data-row]').length === 6);
  assert.equal(await filtered.getByText('search', { exact: true }).count(), 0);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('[data-row]').length > 6);
  await context.close();
});

test('the id of a request in the filter opens that request, or says that no request has it', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=1h&live=0');
  await page.getByRole('row').nth(3).waitFor();
  await page.locator('[data-filter]').fill(` ${ids[2]} `);
  await page.locator('[data-filter]').press('Enter');
  await page.waitForURL((url) => url.searchParams.get('open') === ids[2]);
  await page.getByRole('heading', { name: 'Attempts' }).waitFor();
  assert.equal(await page.locator('[data-filter]').inputValue(), '');
  await page.locator('[data-filter]').fill('exc_00000000000000000000000000');
  await page.locator('[data-filter]').press('Enter');
  await page.getByText('No request has the ID exc_00000000000000000000000000.').waitFor();
  await context.close();
});

test('the list is walked, opened and left with the keyboard alone', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=1h&live=0');
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-index') === '1');
  await page.keyboard.press('Enter');
  await page.waitForURL(/open=exc_/);
  const first = new URL(page.url()).searchParams.get('open');
  await page.keyboard.press('j');
  await page.waitForFunction((before) => !location.search.includes(before), first ?? '');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.search.includes('open='));
  await context.close();
});

test('what was changed in the list while a drawer was open stays when the drawer is closed', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  await page.locator('[data-row]').nth(1).click();
  await page.waitForURL(/open=/);
  await page.keyboard.press('l');
  await page.waitForURL(/live=0/);
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.searchParams.has('open'));
  assert.equal(new URL(page.url()).searchParams.get('live'), '0');
  await context.close();
});

test('Back after a drawer was closed leaves the list and never opens it again', async () => {
  for (const [path, row] of [
    ['/o/acme/requests?range=1h&live=0', '[data-row]'],
    ['/o/acme/management/audit', '[data-row]'],
  ] as const) {
    const { page, context } = await openConsolePage(harness, '/o/acme/overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(new URL(path, page.url()).href);
    const isOpen = () => new URL(page.url()).searchParams.has('open');
    for (const way of ['Escape', 'Close'] as const) {
      await page.locator(row).nth(1).click();
      await page.waitForURL(/open=/);
      // Walking on inside the drawer is no step either, and neither is a click on another row.
      await page.keyboard.press('j');
      const other = await page.locator(row).nth(3).getAttribute('data-row');
      await page.locator(row).nth(3).click();
      await page.waitForURL((url) => url.searchParams.get('open') === other);
      if (way === 'Escape') await page.keyboard.press('Escape');
      else await page.getByRole('button', { name: 'Close' }).first().click();
      await page.waitForURL((url) => !url.searchParams.has('open'));
    }
    await page.goBack();
    await page.waitForURL(/overview/);
    assert.equal(isOpen(), false);
    await page.goForward();
    await page.waitForURL((url) => url.pathname === new URL(path, page.url()).pathname);
    assert.equal(isOpen(), false, path);
    await context.close();
  }
});

test('a drawer that a link opened is closed where it is', async () => {
  const { page, context } = await openConsolePage(harness, `/o/acme/requests?range=1h&live=0&open=${ids[3]}`);
  await page.getByRole('button', { name: 'Close' }).first().click();
  await page.waitForURL((url) => !url.searchParams.has('open') && url.pathname.endsWith('/requests'));
  await context.close();
});

test('a request that is made while one looks appears by itself', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  await page.getByRole('row').nth(3).waitFor();
  const id = await harness.chat('sandbox/echo');
  await page.locator(`[data-row="${id}"]`).waitFor();
  await context.close();
});

test('who is not signed in comes back to the same link afterwards', async () => {
  harness.signInAs(null);
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?status=429');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await takeScreenshot(page, 'sign-in-desktop-light');
  await assertAccessible(page);
  await page.getByLabel('Email').fill('mara@acme.example');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('The email address or password is incorrect.').waitFor();
  harness.signInAs('viewer');
  await page.reload();
  await page.waitForURL(/\/o\/acme\/requests\?status=429/);
  harness.signInAs('owner');
  assert.deepEqual(faults, []);
  await context.close();
});

test('an issuer of the organization is asked, and told the way back', async () => {
  harness.signInAs(null);
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?status=429');
  const asked = page.waitForRequest((request) => request.url().includes('/api/session/oidc/corp/start'));
  await page.getByRole('button', { name: 'Sign in with corp' }).click();
  const { searchParams } = new URL((await asked).url());
  assert.deepEqual([...searchParams], [['return_to', '/o/acme/requests?status=429']]);
  harness.signInAs('owner');
  await context.close();
});

test('the palette goes to a page and opens an id that is pasted', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests');
  await page.waitForURL(/\/o\/acme\/requests/);
  await page.getByRole('row').nth(1).waitFor();
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('combobox', { name: 'Search' });
  await palette.fill('nothing is like it');
  await page.getByText('No results.').waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await page.locator('[data-row]:focus').waitFor();
  await page.keyboard.press('Control+k');
  await palette.fill('monit');
  await page.getByRole('option', { name: /^Monitors/, selected: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  assert.equal(
    await palette.getAttribute('aria-activedescendant'),
    await page.getByRole('option', { selected: true }).getAttribute('id'),
  );
  await takeScreenshot(page, 'palette');
  await palette.fill(` ${ids[0]} `);
  await assertAccessible(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/requests/${ids[0]}`));
  assert.deepEqual(faults, []);
  await context.close();
});
