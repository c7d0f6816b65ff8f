import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot, waitForCopiedText } from './checks.ts';
import { assertSettledPageAccessible } from './settled-page.ts';

/** The first hour of an owner, step by step as a person goes: by the navigation, the forms and the buttons of the pages. */

const MODEL = 'gpt-5-mini';
/** 8,000 tokens at 0.25 and 1,000 at 2 USD per million. */
const COST = '$0.0040';
const USAGE = { prompt_tokens: 8_000, completion_tokens: 1_000, total_tokens: 9_000 };
const SAID = 'The harbour is quiet.';

/** Where the walk goes: an installation that nobody has seen yet. */
export interface FirstHourContext {
  readonly page: Page;
  /** What the first start printed. */
  readonly link: string;
  /** Where people find it, path and all. */
  readonly url: string;
  readonly upstream: FakeUpstream;
  /** Of the pictures. */
  readonly name: string;
}

/** A provider that speaks OpenAI's language and takes one key. */
export function startModelProvider(): Promise<FakeUpstream> {
  const piece = (delta: object, more: object = {}) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_795_000_000,
    model: MODEL,
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  });
  return startFakeUpstream({
    respond: ({ headers, path }) => {
      if (headers['authorization'] !== 'Bearer sk-good')
        return createJsonReply(
          { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } },
          401,
        );
      if (path.endsWith('/models'))
        return createJsonReply({ object: 'list', data: [{ id: MODEL, object: 'model' }] });
      return createSseReply([
        piece({ role: 'assistant', content: SAID }),
        piece({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        piece({}, { choices: [], usage: USAGE }),
        'data: [DONE]\n\n',
      ]);
    },
  });
}

/** The whole of it; leaves a public board behind. */
export async function walkFirstHour(start: FirstHourContext): Promise<void> {
  await becomeOwner(start);
  await enableProvider(start);
  await createRoute(start);
  await sendInPlayground(start);
  await readTheRequest(start);
  await setBudget(start);
  const beatKey = await makeKey(start, 'jobs', ['beat']);
  const appKey = await makeKey(start, 'old-app', ['gateway']);
  await revokeKey(start, 'old-app', appKey);
  const beat = await watchJob(start, beatKey);
  await seeItFailAndRecover(start, beat);
  await publishBoard(start);
}

/** By the navigation, which a phone keeps behind a button. */
async function go({ page }: FirstHourContext, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open menu' });
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
  const heading = page.getByRole('heading', { level: 1, name, exact: true });
  const follow = async (): Promise<void> => {
    if (await menu.isVisible()) await menu.click();
    await link.click({ timeout: 20_000 });
    await heading.waitFor({ timeout: 20_000 });
  };
  // A page that a form opens at the same moment can replace this one and closes the menu.
  await follow().catch(follow);
}

async function becomeOwner({ page, link }: FirstHourContext): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Name').fill('Mara Koch');
  await page.getByLabel('Email').fill('mara@acme.example');
  await page.getByLabel('Password').fill('quiet harbour lantern');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Set up your gateway in five steps' }).waitFor();
}

async function enableProvider(start: FirstHourContext): Promise<void> {
  const { page, upstream } = start;
  await go(start, 'Providers');
  await page.getByRole('button', { name: 'Add provider' }).first().click();
  await page.getByLabel('Kind').selectOption('openai');
  await page.getByLabel('Base URL').fill(`${upstream.url}/v1`);
  await page.getByLabel('API key', { exact: true }).fill('sk-wrong');
  await page.getByRole('button', { name: 'Test and save provider' }).click();
  await page.getByText('Incorrect API key provided.').waitFor();
  await page.getByLabel('API key', { exact: true }).fill('sk-good');
  await page.getByRole('button', { name: 'Test and save provider' }).click();
  await page.waitForURL(/management\/providers\/openai$/);
}

async function createRoute(start: FirstHourContext): Promise<void> {
  const { page } = start;
  await go(start, 'Routes');
  await page.getByRole('button', { name: 'Create route' }).first().click();
  await page.getByLabel('Model or alias').fill('smart');
  for (const [index, target] of [`openai/${MODEL}`, 'sandbox/echo'].entries()) {
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByLabel(`Target ${index + 1}`, { exact: true }).fill(target);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.waitForURL(/routes\/smart$/);
}

async function sendInPlayground(start: FirstHourContext): Promise<void> {
  const { page } = start;
  await go(start, 'Playground');
  // The route is what is tried first, once there is one.
  await page.waitForFunction(() =>
    document.querySelector<HTMLInputElement>('[role=combobox]')?.value.startsWith('smart'),
  );
  await page.getByLabel('User').fill('How is the harbour?');
  await page.getByRole('button', { name: 'Run' }).click();
  const answer = page.getByRole('article', { name: 'Response from smart' });
  await answer.getByText(SAID).waitFor();
  await answer.getByText(COST, { exact: true }).waitFor();
}

async function readTheRequest(start: FirstHourContext): Promise<void> {
  const { page, name } = start;
  await go(start, 'Requests');
  const row = page.locator('[data-row]').first();
  await row.getByText(COST).first().waitFor();
  await row.click();
  await page.getByRole('heading', { name: 'Why this route?' }).waitFor();
  await page.getByText(COST).last().waitFor();
  await page.getByText(`openai/${MODEL}`).first().waitFor();
  await assertSettledPageAccessible(page);
  await takeScreenshot(page, `journey-request-${name}`);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
}

async function setBudget(start: FirstHourContext): Promise<void> {
  const { page } = start;
  await go(start, 'Budgets');
  await page
    .getByRole('button', { name: /Create budget|Set a/ })
    .first()
    .click();
  await page.getByLabel('Name').fill('everything');
  await page.getByLabel('Limit (USD)').fill('100');
  await page.locator('form').getByRole('button', { name: 'Create budget' }).click();
  await page.getByRole('heading', { name: 'everything' }).waitFor();
  await page.getByText('of $100.00').first().waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
}

/** Resolves to its value, from the clipboard. */
async function makeKey(start: FirstHourContext, name: string, scopes: readonly string[]): Promise<string> {
  const { page } = start;
  await go(start, 'Keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  await dialog.getByLabel('Name').fill(name);
  for (const scope of ['gateway', 'beat'])
    await dialog.getByLabel(new RegExp(`^${scope}`)).setChecked(scopes.includes(scope));
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByText('Copied.').waitFor();
  const key = await waitForCopiedText(page, /^eis_/);
  await page.getByRole('button', { name: 'Done' }).click();
  return key;
}

async function revokeKey(start: FirstHourContext, name: string, key: string): Promise<void> {
  const { page, url } = start;
  const ask = () =>
    callHttp(`${url}/gateway/v1/chat/completions`, {
      headers: { authorization: `Bearer ${key}` },
      body: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] },
    });
  assert.equal((await ask()).status, 200);
  await page.locator('[data-row]', { hasText: name }).click();
  await page.waitForURL(/keys\/key_/);
  await page.getByRole('button', { name: 'Revoke key' }).click();
  const dialog = page.getByRole('dialog');
  // It was used a moment ago, so its name is wanted: once the server knows of it, which takes about a second.
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await page
    .getByText(/Key .+ was revoked at .+\. Requests that use it are rejected\./)
    .first()
    .waitFor();
  assert.equal((await ask()).status, 401);
}

/** Resolves to what a job does: the line the page shows for it, in a shell. */
async function watchJob(start: FirstHourContext, key: string): Promise<() => Promise<unknown>> {
  const { page, url } = start;
  await go(start, 'Monitors');
  await page.getByRole('button', { name: 'Create monitor' }).first().click();
  await page.getByLabel('Name').fill('Nightly backup');
  await page.getByLabel('Interval').fill('30 s');
  await page.getByLabel('Grace').fill('0');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('heading', { name: 'Waiting for the first beat…' }).waitFor();
  await page.getByRole('button', { name: 'Copy curl' }).click();
  await page.getByText('Copied', { exact: true }).first().waitFor({ state: 'attached' });
  const line = await waitForCopiedText(page, /^curl /);
  assert.ok(line.includes(`${url}/api/monitoring/heartbeat`), line);
  const beat = () =>
    promisify(execFile)('bash', ['-c', line], { env: { ...process.env, FLOE_API_KEY: key } });
  await beat();
  await page.getByText('Healthy', { exact: true }).first().waitFor();
  return beat;
}

async function seeItFailAndRecover(
  { page, name }: FirstHourContext,
  beat: () => Promise<unknown>,
): Promise<void> {
  await page.getByText(/^Failing since/).waitFor({ timeout: 30_000 + TEST_TIMEOUT_MS });
  await page.getByText('No beat arrived before the deadline.').first().waitFor();
  await assertSettledPageAccessible(page);
  await takeScreenshot(page, `journey-failing-${name}`);
  await beat();
  await page.getByText('Healthy', { exact: true }).first().waitFor();
}

async function publishBoard(start: FirstHourContext): Promise<void> {
  const { page, url, name } = start;
  await go(start, 'Boards');
  await page.getByRole('button', { name: 'Create board' }).first().click();
  await page.getByLabel('Title').fill('Jobs');
  const adding = page.getByLabel('Add a monitor to Scheduled jobs');
  // Enter on what is no choice, or not yet, must not make the board without it.
  await adding.fill('no such job');
  await page.keyboard.press('Enter');
  await adding.fill('nightly');
  await page.getByRole('option', { name: 'Nightly backup' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove monitor Nightly backup' }).waitFor();
  await page.getByLabel('Public').click();
  await page.getByRole('button', { name: 'Create board' }).click();
  await page.getByRole('heading', { name: 'Share board' }).waitFor();
  const [address = ''] = /http\S+\/boards\/[\w-]+/.exec(await page.locator('main').innerText()) ?? [];
  assert.ok(address.startsWith(`${url}/boards/`), `the board is below ${url}: ${address}`);
  await page.goto(address);
  await page.getByText('Nightly backup').first().waitFor();
  await assertAccessible(page);
  await takeScreenshot(page, `journey-board-${name}`);
}
