import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import type { Page, Request } from 'playwright-core';
import { assertAccessible } from './checks.ts';

/** When a page has all it asked for and draws nothing that is still on its way. */

const watched = new WeakMap<Page, Set<Request>>();

/** Counts what the page asks for from now on, but for its event stream, which never ends. */
export function trackPageRequests(page: Page): void {
  if (watched.has(page)) return;
  const open = new Set<Request>();
  watched.set(page, open);
  page.on('request', (request) => {
    if (!/\/api\/events\b/.test(request.url())) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
}

/** Resolves when nothing was under way in three frames that follow each other. @throws Error when it does not come to that */
export async function waitForSettledPage(page: Page): Promise<void> {
  const open = watched.get(page) ?? new Set();
  const until = Date.now() + TEST_TIMEOUT_MS;
  for (let quiet = 0; quiet < 3; ) {
    const missing: string = await page.evaluate(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => {
            const late = document.querySelector('[aria-label=Loading], [data-skeleton], [aria-busy=true]');
            resolve(late?.outerHTML.slice(0, 200) ?? (document.querySelector('h1') ? '' : 'a heading'));
          }),
        ),
    );
    quiet = missing === '' && open.size === 0 ? quiet + 1 : 0;
    if (Date.now() > until)
      throw new Error(
        `not settled: ${page.url()} ${[...open].map((request) => request.url()).join(' ')} ${missing}`,
      );
  }
}

/** axe on what the person sees once everything has come. */
export async function assertSettledPageAccessible(page: Page): Promise<void> {
  trackPageRequests(page);
  await waitForSettledPage(page);
  await assertAccessible(page);
}
