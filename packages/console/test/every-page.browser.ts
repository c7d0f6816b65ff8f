import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { AXE_ALL_RULES, AXE_COLOR_RULES, assertAccessible, takeFolderScreenshot } from './checks.ts';
import { openBrowserContext, SCREENSHOTS_DIR } from './console-harness.ts';
import { collectPageFaults } from './page-faults.ts';
import { CONSOLE_PATHS, type PopulatedConsole, startPopulatedConsole } from './populated-console.ts';
import { trackPageRequests, waitForSettledPage } from './settled-page.ts';

/**
 * Every page of the index, as every role, light and dark, on a desktop and on a phone: below a path prefix behind nginx.
 * A page joins by standing in the index. Pictures lie in test/screenshots/every-page.
 */
const PREFIX = '/floe';
const ROLES = ['owner', 'member', 'viewer'] as const;
const LOOKS = [
  { name: 'desktop-light', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1440, height: 900, colorScheme: 'dark' },
  { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, colorScheme: 'light' },
] as const;
type Look = (typeof LOOKS)[number];

/** One open page of somebody, turned from look to look: what reacts live need not be loaded anew. */
interface Visitor {
  readonly page: Page;
  readonly session: CDPSession;
  readonly faults: readonly string[];
}

let harness: PopulatedConsole;
const visitors = new Map<string, Visitor>();
before(receiveEverybody);
after(() => harness.close());

describe('every page opens in light and dark, on desktop and phone', { concurrency: 2 }, () => {
  for (const role of ROLES)
    describe(`for a ${role}`, { concurrency: 1 }, () => {
      // A test of its own for each: what one may take does not grow with how many there are.
      for (const path of CONSOLE_PATHS)
        test(path, async () => {
          const broken: string[] = [];
          for (const look of LOOKS) {
            const problem = await problemAt(visitorOf(role), role, harness.pageUrls.get(path) ?? '', look);
            if (problem) broken.push(`${look.name}: ${problem}`);
          }
          assert.deepEqual(broken, []);
        });
      test('and none of them broke its policy, threw or led out', () => {
        assert.deepEqual(visitorOf(role).faults, []);
      });
    });
});

function visitorOf(role: string): Visitor {
  const visitor = visitors.get(role);
  assert.ok(visitor);
  return visitor;
}

async function receiveEverybody(): Promise<void> {
  rmSync(join(SCREENSHOTS_DIR, 'every-page'), { recursive: true, force: true });
  harness = await startPopulatedConsole(PREFIX);
  for (const role of ROLES) {
    harness.signInAs(role);
    const context = await openBrowserContext(harness);
    const page = await context.newPage();
    trackPageRequests(page);
    const faults = await collectPageFaults(page, harness.url);
    await page.goto(`${harness.url}/o/acme/overview`);
    visitors.set(role, { page, session: await context.newCDPSession(page), faults });
  }
  harness.signInAs('owner');
}

/** Goes there without loading anew, and tells what is wrong; null when nothing is. */
async function problemAt(visitor: Visitor, role: string, place: string, look: Look): Promise<string | null> {
  const { page } = visitor;
  await turn(visitor, look);
  const address = new URL(`${harness.url}/o/acme${place}`);
  const isThere = new URL(page.url()).href === address.href;
  if (!isThere)
    await page.evaluate((path) => history.pushState(null, '', path), address.pathname + address.search);
  try {
    await waitForSettledPage(page);
    const isElsewhere = new URL(page.url()).pathname !== address.pathname;
    if (isElsewhere) return `it went to ${page.url()}`;
    if (await page.getByText('This page could not be displayed').isVisible()) return 'it broke';
    const failed = await page.getByText(/^Could not /).allInnerTexts();
    if (failed.length > 0) return failed.join('; ');
    const wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main')].some(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      ),
    );
    if (wide) return 'it scrolls sideways';
    await takeFolderScreenshot(page, `every-page/${look.name}-${role}-${fileName(place)}`);
    // Both themes draw the same elements: the second can only differ in contrast.
    await assertAccessible(
      page,
      look.name === 'desktop-light' || look.name === 'phone-dark' ? AXE_ALL_RULES : AXE_COLOR_RULES,
    );
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function turn({ page, session }: Visitor, look: Look): Promise<void> {
  await page.setViewportSize(look);
  await page.emulateMedia({ colorScheme: look.colorScheme });
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: look.width < 768 });
}

function fileName(place: string): string {
  return place.slice(1).replaceAll(/[^\w]+/g, '-');
}
