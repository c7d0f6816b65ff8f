import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Floe, startFloe } from '@floe/testkit/process';
import type { Upstream } from '@floe/testkit/upstream';
import { type Browser, chromium } from 'playwright-core';
import { screenshot } from './checks.ts';
import { browserPath } from './harness.ts';
import { startModels, walkTheJourney } from './journey.ts';
import { watchPage } from './page-faults.ts';
import { reverseProxy } from './reverse-proxy.ts';

const LINK = /http\S+\/sign-in#token=[A-Za-z0-9_-]{43}/;
const DESKTOP_LIGHT = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;
const PHONE_DARK = {
  viewport: { width: 390, height: 844 },
  colorScheme: 'dark',
  hasTouch: true,
  isMobile: true,
} as const;

let browser: Browser;
let upstream: Upstream;
before(async () => {
  browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] });
  upstream = await startModels();
});
after(async () => {
  await browser.close();
  await upstream.close();
});

/** Walks it all on a fresh installation and fails on what no page may do. */
async function walk(
  floe: Floe,
  { name, url, look }: { readonly name: string; readonly url: string; readonly look: object },
): Promise<void> {
  const [link = ''] = await floe.printed(LINK);
  assert.ok(link.startsWith(`${url}/sign-in`), `the printed link is below ${url}: ${link}`);
  const context = await browser.newContext({
    ...look,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults = await watchPage(page, url);
  await walkTheJourney({ page, link, url, upstream, name }).catch(async (error: unknown) => {
    await screenshot(page, `journey-stopped-${name}`);
    throw error;
  });
  assert.deepEqual(faults, []);
  await context.close();
}

test('from the printed link to a public board, on the pages alone', async () => {
  const floe = await startFloe();
  await walk(floe, { name: 'desktop-light', url: floe.url, look: DESKTOP_LIGHT }).finally(() => floe.stop());
});

test('the same below a path behind nginx on a phone: no link leads out, no policy is broken', async () => {
  const proxy = await reverseProxy('/floe');
  const url = `${proxy.origin}/floe`;
  const floe = await startFloe({ env: { FLOE_BASE_URL: url } });
  await proxy.leadTo(floe.url);
  try {
    await walk(floe, { name: 'phone-dark', url, look: PHONE_DARK });
  } finally {
    await floe.stop();
    await proxy.close();
  }
});
