import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PATIENCE_MS } from '@floe/testkit/patience';
import { type Floe, startFloe } from '@floe/testkit/process';
import type { Upstream } from '@floe/testkit/upstream';
import { chromium } from 'playwright-core';
import { screenshot } from './checks.ts';
import { browserPath } from './harness.ts';
import { startModels, walkTheJourney } from './journey.ts';
import { watchPage } from './page-faults.ts';
import { reverseProxy } from './reverse-proxy.ts';

const LINK = /http\S+\/sign-in#token=[A-Za-z0-9_-]{43}/;
const DESKTOP_LIGHT = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;
const DESKTOP_DARK = { ...DESKTOP_LIGHT, colorScheme: 'dark' } as const;
const PHONE_DARK = {
  viewport: { width: 390, height: 844 },
  colorScheme: 'dark',
  hasTouch: true,
  isMobile: true,
} as const;

let upstream: Upstream;
before(async () => {
  upstream = await startModels();
});
after(async () => {
  await upstream.close();
});

/** Walks it all on a fresh installation and fails on what no page may do. */
async function walk(
  floe: Floe,
  { name, url, look }: { readonly name: string; readonly url: string; readonly look: object },
): Promise<void> {
  const [link = ''] = await floe.printed(LINK);
  assert.ok(link.startsWith(`${url}/sign-in`), `the printed link is below ${url}: ${link}`);
  // A browser of its own: contexts share one clipboard.
  const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] });
  const context = await browser.newContext({
    ...look,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const faults = await watchPage(page, url);
  await walkTheJourney({ page, link, url, upstream, name }).catch(async (error: unknown) => {
    await screenshot(page, `journey-stopped-${name}`);
    await browser.close();
    throw error;
  });
  await browser.close();
  assert.deepEqual(faults, []);
}

// Most of each is waiting for a beat that does not come: two at once cost little more than one.
describe('the first hour on the pages alone', { concurrency: 2 }, () => {
  test('from the printed link to a public board', async () => {
    const floe = await startFloe();
    const run = { name: 'desktop-light', url: floe.url, look: DESKTOP_LIGHT };
    await walk(floe, run).finally(() => floe.stop());
  });

  for (const [name, look] of [
    ['prefix-desktop-dark', DESKTOP_DARK],
    ['prefix-phone-dark', PHONE_DARK],
  ] as const)
    test(`below a path behind nginx no link leads out and no policy is broken: ${name}`, async () => {
      const proxy = await reverseProxy('/floe');
      const url = `${proxy.origin}/floe`;
      const floe = await startFloe({ env: { FLOE_BASE_URL: url } });
      try {
        await proxy.leadTo(floe.url);
        await walk(floe, { name, url, look });
      } finally {
        await floe.stop();
        await proxy.close();
      }
    });
});
