import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import type { Page, Route } from 'playwright-core';
import { waitForValue } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** Pages of which a part fails or hangs: a page of a list, the code of a dialog, the network, a clock. */

const MANAGEMENT = '/o/acme/management';
const HOUR_MS = 3_600_000;
let harness: MemberHarness;

before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

const errorBody = (code: string, message: string) => ({ error: { code, message, param: null } });

/** Sets the clock of the page wrong by this many milliseconds. */
async function shiftClock(page: Page, ms: number): Promise<void> {
  await page.addInitScript(`{
    const Right = Date;
    globalThis.Date = class extends Right {
      constructor(...given) { if (given.length === 0) super(Right.now() + ${ms}); else super(...given); }
      static now() { return Right.now() + ${ms}; }
    };
  }`);
}

test('a polled list whose next page fails asks for it again only with the button, and says why until then', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/overview');
  let polls = 0;
  let asked = 0;
  let isBroken = true;
  await page.route(/\/api\/management\/limits\?/, async (route) => {
    if (new URL(route.request().url()).searchParams.get('cursor') === 'next') {
      asked += 1;
      if (isBroken)
        return route.fulfill({ status: 429, json: errorBody('rate_limited', 'Too many requests.') });
      return route.fulfill({ json: { data: [], next_cursor: null } });
    }
    polls += 1;
    const answer = await route.fetch();
    return route.fulfill({ json: { ...(await answer.json()), next_cursor: 'next' } });
  });
  await page.goto(`${harness.url}${MANAGEMENT}/limits`);
  const failure = page.getByText('Could not load more. Too many requests.');
  await failure.waitFor();
  const before = polls;
  await eventually(async () => polls >= before + 3 || undefined);
  await failure.waitFor();
  assert.equal(asked, 1);
  const more = page.getByRole('button', { name: 'Load more' });
  await more.click();
  await eventually(async () => asked === 2 || undefined);
  await failure.waitFor();
  isBroken = false;
  await more.click();
  await more.waitFor({ state: 'detached' });
  assert.equal(asked, 3);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a created key is shown although the list of keys does not answer', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/keys`);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('shown-at-once');
  const held: Route[] = [];
  await page.route(/\/api\/management\/keys/, async (route) => {
    if (route.request().method() === 'GET') held.push(route);
    else await route.continue();
  });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Copy key' }).waitFor();
  assert.ok(held.length > 0);
  await context.close();
});

test('without the code of the dialog for a step-up, the form says so and can be sent again', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  let isMissing = true;
  await page.route(/step-up-dialog[^/]*\.js/, (route) =>
    isMissing ? route.fulfill({ status: 404 }) : route.continue(),
  );
  await page.route('**/api/me', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 403, json: errorBody('step_up_required', 'Confirm your identity.') })
      : route.continue(),
  );
  await page.goto(`${harness.url}${MANAGEMENT}/settings/account`);
  await page.getByLabel('Name').fill('Somebody Else');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Could not load the dialog').waitFor();
  await waitForValue(page.getByLabel('Name'), 'Somebody Else');
  isMissing = false;
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor();
  await context.close();
});

test('a browser that says that it is offline still reads and saves, because Floe may be on this computer', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/limits`);
  await page.getByRole('button', { name: 'Create limit' }).first().waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await page.getByRole('button', { name: 'Create limit' }).first().click();
  await page.getByRole('textbox', { name: /^Name/ }).fill('made-offline');
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('70');
  await page.locator('form').getByRole('button', { name: 'Create limit' }).click();
  await page.getByRole('row', { name: /made-offline/ }).waitFor();
  await context.close();
});

for (const [name, ms] of [
  ['fast', 5 * HOUR_MS],
  ['slow', -5 * HOUR_MS],
] as const)
  test(`a clock of the browser that is five hours ${name} changes neither the rows of the last hour nor relative times`, async () => {
    await harness.chat('sandbox/echo');
    const { page, context } = await openConsolePage(harness, '/invite');
    await shiftClock(page, ms);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${harness.url}/o/acme/requests?range=1h`);
    await page.locator('[data-row]').first().waitFor();
    const from = asked
      .map((url) => new URL(url))
      .filter(({ pathname }) => pathname === '/api/analytics/requests')
      .map(({ searchParams }) => Date.parse(searchParams.get('from') ?? ''));
    assert.ok(from.length > 0);
    for (const at of from)
      assert.ok(Math.abs(at - (Date.now() - HOUR_MS)) < 60_000 * 5, new Date(at).toISOString());
    await page.goto(`${harness.url}/o/acme/playground?model=sandbox/echo`);
    await page.getByLabel('User').fill('What time is it?');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Continue conversation' }).waitFor();
    await page.goto(`${harness.url}${MANAGEMENT}/keys?show=all&console=shown`);
    await page
      .getByText(/^in (1 h|5\d min)/)
      .first()
      .waitFor();
    await context.close();
  });

test('a failed test of a provider is told on the page that the user opened meanwhile', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/providers/new`);
  const { promise: sent, resolve } = Promise.withResolvers<Route>();
  await page.route(/\/api\/management\/providers\/test$/, (route) => resolve(route));
  await page.getByRole('textbox', { name: 'ID' }).fill('left-alone');
  await page.getByRole('textbox', { name: /^API key/ }).fill('wrong');
  await page.getByRole('button', { name: 'Test and save provider' }).click();
  const route = await sent;
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave page' }).click();
  await page.getByRole('heading', { name: 'Channels', exact: true }).waitFor();
  await route.fulfill({ json: { ok: false, models: null, message: 'The key is invalid.', duration_ms: 12 } });
  await page
    .getByText(/left-alone was not saved.*The key is invalid\./)
    .first()
    .waitFor();
  await context.close();
});

test('a key on the page Connect is not left behind without a question, unless it was copied', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/connect/curl');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: /^Create key/ }).click();
  await page.getByText('This is the only time the full key is shown.').waitFor();
  const question = page.getByRole('dialog', { name: 'Leave without saving the key?' });
  await page.getByRole('link', { name: 'Claude Code' }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  const asked = new Promise<string>((resolve) => {
    page.once('dialog', async (dialog) => {
      resolve(dialog.type());
      await dialog.dismiss();
    });
  });
  await page.evaluate(() => location.reload());
  assert.equal(await asked, 'beforeunload');
  await page.getByRole('button', { name: 'Copy Shell' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('link', { name: 'Claude Code' }).click();
  await page.getByRole('heading', { name: 'Connect Claude Code' }).waitFor();
  await context.close();
});

test('lists are refreshed although events come faster than their responses', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/limits`);
  await page.getByRole('button', { name: 'Create limit' }).first().waitFor();
  let isOver = false;
  await page.route(/\/api\/management\/limits\?/, async (route) => {
    const answer = await route.fetch();
    // Longer than the time between two refetches, until the test has ended.
    if (!isOver) await new Promise((resolve) => setTimeout(resolve, 2_500));
    await route.fulfill({ response: answer }).catch(() => undefined);
  });
  const events = (async () => {
    for (let event = 0; !isOver; event += 1) {
      await harness.ask('POST', '/api/management/limits', { scope: 'org', name: `burst-${event}`, rpm: 900 });
      await page.waitForTimeout(300);
    }
  })();
  await eventually(async () => (await page.getByRole('row', { name: /burst-/ }).count()) > 0 || undefined);
  isOver = true;
  await events;
  await context.close();
});

test('a form does not say that there are no channels if it could not load them', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  await page.route(/\/api\/monitoring\/channels/, (route) =>
    route.fulfill({ status: 500, json: errorBody('internal_error', 'An internal error occurred.') }),
  );
  await page.goto(`${harness.url}/o/acme/monitors/new`);
  await page.getByText('Could not load the channels. An internal error occurred.').waitFor();
  assert.equal(await page.getByText('No channels exist.').count(), 0);
  await context.close();
});

test('a part that could not be loaded says so, and shows neither zero nor a healthy state', async () => {
  harness.signInAs('owner');
  const { page, context } = await openConsolePage(harness, '/o/acme/limits');
  let isBroken = true;
  for (const path of ['analytics/(top|timeseries|annotations)', 'management/(breakers|cache/stats|routes)'])
    await page.route(new RegExp(`/api/${path}`), (route) =>
      isBroken
        ? route.fulfill({ status: 429, json: errorBody('rate_limited', 'Too many requests.') })
        : route.continue(),
    );
  const retry = page.getByRole('button', { name: 'Retry' }).first();
  const failures: readonly (readonly [path: string, message: string, count: number])[] = [
    ['/overview', 'Could not load the chart.', 4],
    ['/overview', 'Could not load the list.', 4],
    ['/management/providers', 'Could not load the breakers or the traffic of the providers.', 1],
    ['/management/providers/sandbox', 'Could not load the breakers or the traffic of the providers.', 1],
    ['/management/cache', 'Could not load the cache statistics.', 1],
    ['/management/cache', 'Could not load the routes.', 1],
  ];
  for (const [path, message, count] of failures) {
    isBroken = true;
    await page.goto(`${harness.url}/o/acme${path}`);
    const failure = page.getByText(message);
    await failure.nth(count - 1).waitFor();
    assert.equal(await failure.count(), count);
    if (path.includes('providers')) {
      await page.getByText('Unknown', { exact: true }).first().waitFor();
      assert.equal(await page.getByText('Enabled', { exact: true }).count(), 0);
    }
    if (path.includes('cache')) assert.equal(await page.getByText('in this process').count(), 0);
    isBroken = false;
    if (path.includes('providers')) {
      // One click sends all failed requests again.
      const sent = [/\/breakers/, /\/top/].map((api) => page.waitForRequest(api, { timeout: 5_000 }));
      await retry.click();
      await Promise.all(sent);
    }
    while ((await retry.count()) > 0) await retry.click({ timeout: 5_000 }).catch(() => undefined);
    await failure.first().waitFor({ state: 'detached' });
  }
  await context.close();
});

test('while Floe does not respond, a page whose code is not loaded says so, and the console stays', async () => {
  const { page, context } = await openConsolePage(harness, `${MANAGEMENT}/keys`);
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  await context.setOffline(true);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link', { name: 'Boards' }).click();
  await page
    .getByText('Floe did not respond. Check that it is running and that this device is online.')
    .waitFor();
  const reload = page.getByRole('button', { name: 'Reload page' });
  await reload.click();
  await navigation.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  await navigation.getByRole('link', { name: 'Boards' }).click();
  await reload.waitFor();
  await context.setOffline(false);
  await reload.click();
  await page.getByRole('heading', { name: 'No boards' }).waitFor();
  await context.close();
});

test('a style sheet that an update of Floe has removed makes the page load the new files', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/limits');
  let asked = 0;
  await page.route(/chart-canvas[^/]*\.css/, (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 404 }) : route.continue();
  });
  await harness.chat('sandbox/echo');
  await page.goto(`${harness.url}/o/acme/analytics`);
  await page.locator('canvas').first().waitFor();
  assert.ok(asked > 1);
  await context.close();
});
