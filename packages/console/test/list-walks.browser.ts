import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot, waitForCopiedText } from './checks.ts';
import {
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';
import { trackPageRequests, waitForSettledPage } from './settled-page.ts';

const SECOND = `eis_second${'0'.repeat(32)}`;
const FAILED = 150;

let harness: ConsoleHarness;

before(async () => {
  harness = await startConsoleHarness();
  let left = FAILED;
  const one = async () => {
    for (; left > 0; left -= 1) await harness.chat('sandbox/none');
  };
  await Promise.all(Array.from({ length: 8 }, one));
  for (let n = 0; n < 6; n += 1) await harness.chat('sandbox/echo', { metadata: { team: 'growth' } });
  for (let n = 0; n < 4; n += 1) await harness.chat('sandbox/none', { key: SECOND });
  await waitForWrittenRows(harness, '', FAILED + 10);
});
after(() => harness.close());

interface Seen {
  readonly tokens: readonly string[];
  /** Ids of the rows in view, each with its place on the screen. */
  readonly rows: readonly (readonly [string, number])[];
}

/** What a person sees of the list. */
function seen(page: Page): Promise<Seen> {
  return page.evaluate(() => {
    const inView = [...document.querySelectorAll<HTMLElement>('[data-row]')].flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight ? [[row.dataset['row'] ?? '', Math.round(top)] as const] : [];
    });
    const tokens = [...document.querySelectorAll('[aria-label^="Remove filter"]')];
    return {
      tokens: tokens.map(({ parentElement }) => parentElement?.textContent ?? ''),
      rows: inView.sort((a, b) => a[1] - b[1]),
    };
  });
}

/** Waits until the person sees this again. */
async function seenAgain(page: Page, before: Seen): Promise<void> {
  await eventually(async () => {
    assert.deepEqual(await seen(page), before);
    return true;
  });
}

/** Turns the wheel until the first row in view is this far down, and lets the list come to rest; what the person sees then. */
async function scrolledBeyond(page: Page, index: number): Promise<Seen> {
  // In one look: a row that was in view a moment ago may have left the document.
  const first = () =>
    page.evaluate(() => {
      const inView = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter(
        (row) => row.getBoundingClientRect().top >= 0,
      );
      return Math.min(...inView.map(({ dataset }) => Number(dataset['index'])));
    });
  await eventually(async () => {
    const at = await first();
    if (Number.isFinite(at) && at > index) return true;
    await page.mouse.wheel(0, 400);
    return undefined;
  });
  return seenAtRest(page);
}

/** What the person sees once everything was read and nothing moves any more. */
async function seenAtRest(page: Page): Promise<Seen> {
  await waitForSettledPage(page);
  let before = '';
  return eventually(async () => {
    const now = await seen(page);
    const isStill = JSON.stringify(now) === before;
    before = JSON.stringify(now);
    await page.waitForTimeout(200);
    return isStill ? now : undefined;
  });
}

const rowOf = (page: Page, key: string) =>
  page.locator('[data-row]').filter({ has: page.locator('[data-column=key]', { hasText: key }) });

test('errors without those of one key: a reload, Back and Forward bring the same filters, rows and place', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  trackPageRequests(page);
  await page.locator('[data-row]').nth(3).waitFor();
  await page.locator('[data-filter]').waitFor();
  await page.keyboard.press('/');
  await page.locator('[data-filter]:focus').waitFor();
  await page.keyboard.type('status:error');
  await page.keyboard.press('Enter');
  await page.waitForURL(/status=error/);
  await page.getByRole('button', { name: 'Remove filter status' }).waitFor();
  await rowOf(page, 'ci').nth(2).waitFor();
  await page.mouse.move(5, 5);
  const all = await seenAtRest(page);
  assert.deepEqual(all.tokens, ['statusiserror']);
  await rowOf(page, 'ci')
    .first()
    .locator('[data-column=key]')
    .click({ modifiers: ['Alt'] });
  await page.waitForURL(/key=!ci/);
  await page.getByRole('button', { name: 'Remove filter key' }).waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  await rowOf(page, 'ci').first().waitFor({ state: 'detached' });
  await page.locator('[data-scroll]').hover({ position: { x: 400, y: 700 } });
  // Beyond the first page of the list.
  const before = await scrolledBeyond(page, 100);
  assert.deepEqual(before.tokens, ['statusiserror', 'keyis notci']);
  await takeScreenshot(page, 'walk-10-filtered-desktop-light');
  await page.reload();
  await seenAgain(page, before);
  await page.goBack();
  await seenAgain(page, all);
  await page.goForward();
  await seenAgain(page, before);
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a value is left out by keyboard, by a button that is seen, and a filter is turned round', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h&live=0', {
    dark: true,
  });
  await rowOf(page, 'ci').first().waitFor();
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('f');
  await page.getByRole('menuitem', { name: 'Exclude key ci' }).waitFor();
  await takeScreenshot(page, 'walk-10-row-filters-desktop-dark');
  await page.keyboard.type('Exclude');
  await page.getByRole('menuitem', { name: 'Exclude key ci' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/key=!ci/);
  await rowOf(page, 'agents').first().hover();
  await page.getByRole('button', { name: 'Filter by this request’s values' }).first().click();
  await page.getByRole('menuitem', { name: 'Exclude key agents' }).click();
  await page.waitForURL(/key=!ci,!agents/);
  // Nothing is left: the list says which filter keeps rows away, and how many.
  await page.getByText(`Without the filter “key is none of ci, agents”: more than 100 requests.`).waitFor();
  await page.getByRole('button', { name: 'Invert filter key is none of ci, agents' }).click();
  await page.waitForURL(/key=ci,agents/);
  await rowOf(page, 'ci').first().waitFor();
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('on a phone, what a request says filters the list from its drawer', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h&live=0', {
    phone: true,
  });
  await page.locator('[data-row]').first().tap();
  await page.getByRole('button', { name: 'Filter by this request’s values' }).tap();
  await page.getByRole('menuitem', { name: 'Exclude key ci' }).tap();
  await page.waitForURL(/key=!ci/);
  await page.getByRole('button', { name: 'Close' }).tap();
  await takeScreenshot(page, 'walk-10-phone-light');
  await assertAccessible(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a shared link shows exactly these rows later; the live link shows others, and each says what it is', async () => {
  const { page, context, faults } = await openConsolePage(
    harness,
    '/o/acme/requests?range=15m&metadata.team=growth',
  );
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('[data-row]').nth(5).waitFor();
  const shown = (await seen(page)).rows.map(([id]) => id);
  assert.equal(shown.length, 6);
  const share = async (item: RegExp, told: string) => {
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByText(told).first().waitFor();
  };
  await share(/these requests/, 'Link copied. It always shows these requests.');
  const fixed = await waitForCopiedText(page, /[?&]from=/);
  await share(/live link/, 'Live link copied.');
  const live = await waitForCopiedText(page, /[?&]range=15m/);
  assert.doesNotMatch(fixed, /range=/);
  // What comes later belongs to the live link alone.
  const later: string[] = [];
  for (let n = 0; n < 3; n += 1)
    later.push(await harness.chat('sandbox/echo', { metadata: { team: 'growth' } }));
  await waitForWrittenRows(harness, '', FAILED + 13);
  await page.goto(fixed);
  await page.locator('[data-row]').nth(5).waitFor();
  await page.getByRole('button', { name: 'Fixed time range' }).waitFor();
  assert.deepEqual(
    (await seen(page)).rows.map(([id]) => id),
    shown,
  );
  await takeScreenshot(page, 'walk-11-fixed-desktop-light');
  await assertAccessible(page);
  await page.goto(live);
  await page.locator(`[data-row="${later[2]}"]`).waitFor();
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  await page.getByText('Last 15 minutes').waitFor();
  assert.deepEqual(
    (await seen(page)).rows.map(([id]) => id),
    [...later.reverse(), ...shown],
  );
  assert.deepEqual(faults, []);
  await context.close();
});
