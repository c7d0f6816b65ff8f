import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import type { FakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { chromium } from 'playwright-core';
import { takeScreenshot } from './checks.ts';
import { findBrowser } from './console-harness.ts';
import { startModelProvider, walkFirstHour } from './first-hour.ts';
import { collectPageFaults } from './page-faults.ts';
import { startReverseProxy } from './reverse-proxy.ts';

const LINK = /http[^\s"]+\/sign-in#token=[A-Za-z0-9_-]{43}/;
const DESKTOP_LIGHT = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;
const DESKTOP_DARK = { ...DESKTOP_LIGHT, colorScheme: 'dark' } as const;
const PHONE_DARK = {
  viewport: { width: 390, height: 844 },
  colorScheme: 'dark',
  hasTouch: true,
  isMobile: true,
} as const;

let upstream: FakeUpstream;
before(async () => {
  upstream = await startModelProvider();
});
after(async () => {
  await upstream.close();
});

/** Walks it all on a fresh installation and fails on what no page may do. */
async function walk(
  floe: FloeProcess,
  { name, url, look }: { readonly name: string; readonly url: string; readonly look: object },
): Promise<void> {
  const [link = ''] = await floe.waitForOutput(LINK);
  assert.ok(link.startsWith(`${url}/sign-in`), `the printed link is below ${url}: ${link}`);
  // A browser of its own: contexts share one clipboard.
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  const context = await browser.newContext({
    ...look,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
  const page = await context.newPage();
  page.setDefaultTimeout(TEST_TIMEOUT_MS);
  const faults = await collectPageFaults(page, url);
  await walkFirstHour({ page, link, url, upstream, name }).catch(async (error: unknown) => {
    await takeScreenshot(page, `journey-stopped-${name}`);
    await browser.close();
    throw error;
  });
  await browser.close();
  assert.deepEqual(faults, []);
}

// Most of each is waiting for a beat that does not come: two at once cost little more than one.
describe('the first hour on the pages alone', { concurrency: 2 }, () => {
  test('from the printed link to a public board', async () => {
    const floe = await startFloeProcess();
    const run = { name: 'desktop-light', url: floe.url, look: DESKTOP_LIGHT };
    await walk(floe, run).finally(() => floe.stop());
  });

  for (const [name, look] of [
    ['prefix-desktop-dark', DESKTOP_DARK],
    ['prefix-phone-dark', PHONE_DARK],
  ] as const)
    test(`below a path behind nginx no link leads out and no policy is broken: ${name}`, async () => {
      const proxy = await startReverseProxy('/floe');
      const url = `${proxy.origin}/floe`;
      const floe = await startFloeProcess({ env: { FLOE_BASE_URL: url } });
      try {
        await proxy.routeTo(floe.url);
        await walk(floe, { name, url, look });
      } finally {
        await floe.stop();
        await proxy.close();
      }
    });
});
