import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { isObject } from '@floe/contract/json';
import { call } from '@floe/testkit/client';
import { type Floe, startFloe } from '@floe/testkit/process';
import { type Browser, chromium, type Page } from 'playwright-core';
import { assertAccessible, screenshot } from './checks.ts';

/**
 * One walk through everything, from the link a first start prints. What the console has no page for yet is asked of the
 * API with the session of the page, as its own code would.
 */

const LINK = /http\S+\/sign-in#token=[A-Za-z0-9_-]{43}/;
const CHROMIUM = [process.env['FLOE_CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
let floe: Floe;
let browser: Browser;
before(async () => {
  floe = await startFloe();
  const executablePath = CHROMIUM.find((path) => path !== '' && existsSync(path)) ?? '/usr/bin/google-chrome';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
after(async () => {
  await browser.close();
  await floe.stop();
});

/** What the signed-in page asks of the API. */
async function asked(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const text: string = await page.evaluate(
    async ([how = 'GET', where = '', what = '']) => {
      const answer = await fetch(where, {
        method: how,
        ...(what === '' ? {} : { body: what, headers: { 'content-type': 'application/json' } }),
      });
      return `${answer.status} ${await answer.text()}`;
    },
    [method, path, body === undefined ? '' : JSON.stringify(body)],
  );
  assert.match(text, /^20\d /, `${method} ${path}: ${text}`);
  const answer: unknown = JSON.parse(text.slice(4) || '{}');
  assert.ok(isObject(answer));
  return answer;
}

const chat = (key: string) =>
  call(`${floe.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'smart', messages: [{ role: 'user', content: 'Hello' }] },
  });

test('from the printed link to a public board: everything a first hour asks for', async () => {
  const [link] = await floe.printed(LINK);
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  page.setDefaultTimeout(15_000);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(link);
  await page.getByLabel('Name').fill('Mara Koch');
  await page.getByLabel('E-mail').fill('mara@acme.example');
  await page.getByLabel('Password').fill('quiet harbour lantern');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL(/\/o\/[^/]+\//);
  const home = page.url().replace(/(\/o\/[^/]+)\/.*$/, '$1');

  await asked(page, 'POST', '/api/management/providers', {
    id: 'lab',
    kind: 'sandbox',
    billing: 'metered',
    prices: { echo: { input: 1.25, output: 10 } },
  });
  await asked(page, 'POST', '/api/management/routes', {
    model: 'smart',
    strategy: 'failover',
    targets: ['lab/echo', 'sandbox/echo'],
  });
  await asked(page, 'POST', '/api/management/budgets', {
    name: 'all',
    scope: 'org',
    limit_usd: 100,
    period: 'month',
  });
  const made = await asked(page, 'POST', '/api/management/keys', {
    name: 'jobs',
    scopes: ['gateway', 'beat'],
  });
  const key = String(made['key']);
  const sent = await chat(key);
  assert.equal(sent.status, 200, sent.text);

  await page.goto(`${home}/requests?range=1h`);
  await page.locator(`[data-row="${String(sent.headers['x-request-id'])}"]`).click();
  await page.getByRole('heading', { name: 'Why this route?' }).waitFor();
  // 9 tokens at 1.25 and 2 at 10 USD per million.
  await page.getByText('$0.00003125').first().waitFor();
  await screenshot(page, 'journey-request');

  await page.goto(`${home}/monitors/new`);
  await page.getByLabel('Name').fill('Nightly backup');
  await page.getByLabel('Interval').fill('30 s');
  await page.getByLabel('Grace').fill('0');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('heading', { name: 'Waiting for the first beat…' }).waitFor();
  const line = await page.locator('figure pre').first().innerText();
  const beat = () => promisify(execFile)('bash', ['-c', line], { env: { ...process.env, FLOE_KEY: key } });
  await beat();
  await page.getByText('Healthy', { exact: true }).first().waitFor();

  await page.goto(`${home}/boards/new`);
  await page.getByLabel('Title').fill('Jobs');
  await page.getByLabel('Add a monitor to Scheduled jobs').fill('nightly');
  await page.keyboard.press('Enter');
  await page.getByLabel('Public').click();
  await page.getByRole('button', { name: 'Create board' }).click();
  await page.getByRole('heading', { name: 'Show it elsewhere' }).waitFor();

  await page.goto(`${home}/monitors/nightly-backup`);
  await page.getByText(/^Failing since/).waitFor({ timeout: 60_000 });
  await page.getByText('no heartbeat received within').first().waitFor();
  await assertAccessible(page);
  await screenshot(page, 'journey-failing');
  await beat();
  await page.getByText('Healthy', { exact: true }).first().waitFor();

  await asked(page, 'DELETE', `/api/management/keys/${String(made['id'])}`);
  assert.equal((await chat(key)).status, 401);

  await page.goto(`${floe.url}/boards/status`);
  await page.getByText('Nightly backup').first().waitFor();
  await screenshot(page, 'journey-board');
  assert.deepEqual(errors, []);
});
