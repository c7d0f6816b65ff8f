import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';

/** Where elements are, and whether their text is cut. */

/** The texts of the elements that are cut at their right end. */
export function listCutTexts(elements: Locator): Promise<readonly string[]> {
  return elements.evaluateAll((all) =>
    all
      .flatMap((one) => [one, ...one.querySelectorAll('*')])
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
      .map(({ textContent }) => textContent),
  );
}

/** Returns the position and size of an element. */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  assert.ok(box);
  return box;
}
