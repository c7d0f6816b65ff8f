import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { type Browser, chromium, type Page } from 'playwright-core';
import { connectText } from '../src/pages/connect/text.ts';
import { overviewText } from '../src/pages/overview/text.ts';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { findBrowser } from './console-harness.ts';

/** The first ten minutes of a real installation: nothing before it, nobody stands in for its sign-in. */
const LINK = /http[^\s"]+\/sign-in#token=[\w-]{43}/;
let floe: FloeProcess;
let browser: Browser;
let page: Page;
const faults: string[] = [];

before(async () => {
  floe = await startFloeProcess();
  browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  page = await context.newPage();
  page.setDefaultTimeout(TEST_TIMEOUT_MS);
  page.on('pageerror', (error) => faults.push(error.message));
});
after(async () => {
  await browser.close();
  await floe.stop();
});

test('the printed link makes the owner, who is shown five steps', async () => {
  const [link = ''] = await floe.waitForOutput(LINK);
  await page.goto(link);
  await page.getByLabel('Name').fill('Mara Koch');
  await page.getByLabel('Email').fill('mara@acme.example');
  await page.getByLabel('Password').fill('quiet harbour lantern');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Set up your gateway in five steps' }).waitFor();
  await page.getByText('Waiting for the first request…').waitFor();
  await takeScreenshot(page, 'guide-desktop-light');
  await assertAccessible(page);
});

for (const [name, look] of [
  ['desktop-light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  [
    'phone-dark',
    { viewport: { width: 390, height: 844 }, colorScheme: 'dark', isMobile: true, hasTouch: true },
  ],
] as const)
  test(`the link opened a second time says when it was used, and offers the usual way in: ${name}`, async () => {
    const [link = ''] = await floe.waitForOutput(LINK);
    const context = await browser.newContext({ ...look, reducedMotion: 'reduce', locale: 'en-GB' });
    const other = await context.newPage();
    other.setDefaultTimeout(TEST_TIMEOUT_MS);
    await other.goto(link);
    await other
      .getByText(/This link was used at \d{4}-\d\d-\d\dT[\d:.]+Z\. If you have an account, sign in/)
      .waitFor();
    await other.getByLabel('Email').fill('mara@acme.example');
    await other.getByLabel('Password').fill('quiet harbour lantern');
    await takeScreenshot(other, `link-used-${name}`);
    await assertAccessible(other);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByRole('heading', { name: 'Set up your gateway in five steps' }).waitFor();
    await assertAccessible(other);
    await takeScreenshot(other, `guide-again-${name}`);
    await other.goto(link);
    await other
      .getByText(/This link was used at/)
      .first()
      .waitFor();
    await context.close();
  });

test('the switcher of organizations marks the one that is shown', async () => {
  await page.getByRole('button', { name: /Default/ }).click();
  const here = page.getByRole('menuitem', { name: 'Default' });
  assert.equal(await here.getAttribute('aria-current'), 'true');
  await here.getByRole('img', { name: 'current' }).waitFor();
  await page.keyboard.press('Escape');
});

test('the shown line ticks the first step, and its link opens the request with what was decided', async () => {
  await page.getByRole('button', { name: 'Create key mara-first-steps' }).click();
  await page.getByText('This is the only time the full key is shown.').waitFor();
  const code = (await page.locator('pre:visible').first().textContent()) ?? '';
  const [key = ''] = /eis_[\w-]+/.exec(code) ?? [];
  const [, body = '{}'] = /-d '(.*)'$/m.exec(code) ?? [];
  const send = async (more: object = {}) =>
    callHttp(`${floe.url}/gateway/v1/chat/completions`, {
      headers: { authorization: `Bearer ${key}` },
      body: { ...JSON.parse(body), ...more },
    });
  const step = page.getByRole('button', { name: 'Send a request' });
  // An error is shown while no request has succeeded, and does not complete the step.
  assert.equal((await send({ model: 'sandbox/none' })).status, 404);
  await page.getByText(connectText.firstRequest.rejected).waitFor();
  assert.equal(await step.getByText('done').count(), 0);
  assert.equal((await send()).status, 200);
  await step.getByText('done').waitFor();
  await page.getByText(connectText.firstRequest.connected(overviewText.requestStep.client)).waitFor();
  // Nor does an error after it take it back.
  assert.equal((await send({ model: 'sandbox/none' })).status, 404);
  await page.waitForTimeout(2_500);
  await page.getByText(connectText.firstRequest.connected(overviewText.requestStep.client)).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Connect a client' }).getByText('done').count(), 0);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await takeScreenshot(page, 'guide-phone-dark');
  await assertAccessible(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Open request' }).click();
  await page.getByRole('heading', { name: 'Why this route?' }).waitFor();
  await page.goBack();
});

test('a job is watched and a budget is set without leaving the guide', async () => {
  await page.goto(`${new URL(page.url()).origin}${new URL(page.url()).pathname}?guide=1`);
  await page.getByRole('button', { name: 'Monitor a job' }).click();
  await page.getByLabel('Job name').fill('Nightly backup');
  await page
    .getByText(
      'Floe expects a beat every day. The monitor is marked as failing when a beat is more than 30 min late.',
    )
    .waitFor();
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByText('Waiting for the first beat from Nightly backup…').waitFor();
  const line = (await page.locator('pre:visible').first().textContent()) ?? '';
  await callHttp(line.replace('curl -fsS ', ''), { method: 'POST' });
  await page.getByText('Beat from Nightly backup received').waitFor();
  await page.getByRole('button', { name: 'Set a budget' }).click();
  await page.getByLabel('Monthly budget (USD)').fill('100');
  await page.getByRole('button', { name: 'Create budget' }).click();
  await page.getByText('The organization has a budget.').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Dismiss guide' }).click();
  await page.getByRole('heading', { name: 'Models by spend' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Models by spend' }).waitFor();
  assert.equal(await page.getByText('five steps').count(), 0, 'what was put away stays away');
  assert.deepEqual(faults, []);
});
