import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { eventually } from '@floe/testkit/eventually';
import type { Locator, Page } from 'playwright-core';
import { SCREENSHOTS_DIR } from './console-harness.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly equalled: boolean }[];
}

/** Smaller than a finger, with an equal beside it: arrow keys go from day to day of a board, and what was unusual stands in words below. */
const EXEMPT_TARGETS = '.days input';

/** What axe looks for: all of WCAG 2.2 A and AA, or what only colours can break. */
export const AXE_ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
export const AXE_COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** No violation that axe can find on the page as it stands. */
export async function assertAccessible(
  page: Page,
  runOnly: readonly string[] = AXE_ALL_RULES,
): Promise<void> {
  // Through the debugger, not as a script element: the page's policy stays as it is.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  // Asked of the element itself: axe names it by the shortest selector that finds it, which may say nothing of where it is.
  const violations: readonly Violation[] = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'], elementRef: true }).then(
      ({ violations }) => violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.map(({ target, element }) => ({ target, equalled: element?.matches('${EXEMPT_TARGETS}') === true })),
      })),
    )`,
  );
  const told = violations.flatMap(({ id, help, nodes }) => {
    const places = nodes
      .filter(({ equalled }) => id !== 'target-size' || !equalled)
      .map(({ target }) => target.join(' '));
    return places.length === 0 ? [] : [`${id}: ${help} (${places.slice(0, 3).join('; ')})`];
  });
  assert.deepEqual(told, []);
}

/** A field comes to hold this. */
export async function waitForValue(field: Locator, value: string): Promise<void> {
  await eventually(async () => {
    assert.equal(await field.inputValue(), value);
    return true;
  });
}

/** What was copied, once it is what was meant: the clipboard takes its time, and holds the last text until then. */
export function waitForCopiedText(page: Page, meant: RegExp): Promise<string> {
  return eventually(async () => {
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, meant);
    return text;
  });
}

/** The same in a folder of its own, for tests that take many. */
export async function takeFolderScreenshot(page: Page, name: string): Promise<void> {
  const path = join(SCREENSHOTS_DIR, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
}

/** Keeps a picture for people to look at, in `test/screenshots/`, which git does not keep. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS_DIR, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS_DIR, `${name}.png`) });
}
