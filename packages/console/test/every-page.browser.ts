import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObject } from '@floe/contract/json';
import type { Page } from 'playwright-core';
import * as pages from '../src/pages/index.ts';
import { assertAccessible } from './checks.ts';
import { openPage } from './harness.ts';
import { type People, startPeople } from './people.ts';

/**
 * Every page of the index, as every role, in every look: below a path prefix behind a proxy. A page joins by standing in
 * the index. Each page and role is seen in one look in turn; with FLOE_TEST_FULL in all four.
 */
const PREFIX = '/floe';
const PATHS = Object.values(pages)
  .flat()
  .map(({ path }) => path);
const LOOKS = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 1440, height: 900, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
] as const;
const FULL = process.env['FLOE_TEST_FULL'] !== undefined;

let house: People;
let places: readonly string[];
before(async () => {
  house = await startPeople(PREFIX);
  await house.chat('sandbox/echo');
  await house.chat('smart');
  places = await Promise.all(PATHS.map(placeOf));
});
after(() => house.close());

for (const [nth, role] of (['owner', 'member', 'viewer'] as const).entries())
  test(`every page opens for a ${role}, in light and dark, on desktop and phone`, async () => {
    house.as(role);
    const { page, context, faults } = await openPage(house, `/o/acme${places[0]}`);
    const outside: string[] = [];
    const told: string[] = [];
    page.on('console', (message) => {
      // What an address of something that is not there answers is the browser's own line, not the console's fault.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        told.push(`${page.url()}: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!new URL(request.url()).pathname.startsWith(`${PREFIX}/`)) outside.push(request.url());
    });
    const broken: string[] = [];
    for (const [index, place] of places.entries())
      for (const look of FULL ? LOOKS : [LOOKS[(index + nth) % LOOKS.length] ?? LOOKS[0]]) {
        const problem = await visit(page, place, look);
        if (problem) broken.push(`${place} ${look.width} ${look.colorScheme}: ${problem}`);
      }
    assert.deepEqual(broken, []);
    assert.deepEqual([...faults, ...told, ...outside], []);
    await context.close();
  });

/** Goes there without loading anew, and tells what is wrong; null when nothing is. */
async function visit(page: Page, place: string, look: (typeof LOOKS)[number]): Promise<string | null> {
  await page.setViewportSize(look);
  await page.emulateMedia({ colorScheme: look.colorScheme });
  await page.evaluate((path) => history.pushState(null, '', path), `${PREFIX}/o/acme${place}`);
  try {
    await page.waitForFunction(
      (path) =>
        location.pathname === path &&
        document.querySelector('main h1') !== null &&
        document.querySelector('main [aria-label=Loading], main .animate-pulse') === null,
      `${PREFIX}/o/acme${place}`,
    );
    if (await page.getByText('This page broke').isVisible()) return 'it broke';
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    if (wide) return 'it scrolls sideways';
    await assertAccessible(page);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The address of a page; for one about a single thing, of the first such thing that the API lists. */
async function placeOf(path: string): Promise<string> {
  const [list = '', parameter] = path.split('/$', 2);
  if (parameter === undefined) return path;
  const kind = list.split('/').at(-1) ?? '';
  for (const room of ['management', 'monitoring', 'analytics']) {
    const { body } = await house.ask('GET', `/api/${room}/${kind}`);
    const [row] = isObject(body) && Array.isArray(body['data']) ? body['data'] : [];
    if (isObject(row)) return path.replace(/\$[^/]+/, String(row['id'] ?? row['slug']));
  }
  return path.replace(/\$[^/]+/, 'none');
}
