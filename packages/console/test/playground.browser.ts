import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { callHttp } from '@floe/testkit/http-client';
import { assertAccessible, takeScreenshot, waitForCopiedText } from './checks.ts';
import {
  CONSOLE_KEY,
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

let harness: ConsoleHarness;
before(async () => {
  harness = await startConsoleHarness();
  await harness.chat('sandbox/echo');
  await waitForWrittenRows(harness, '', 1);
});
after(() => harness.close());

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`the playground streams an answer, tells its cost and leads to its request: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/playground?model=smart', look);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Enter a message.').waitFor();
    await page.getByLabel('User').fill('A quiet harbour at night');
    await page.keyboard.press('Control+Enter');
    const answer = page.getByRole('article', { name: 'Response from smart' });
    await answer.getByText('A quiet harbour at night').waitFor();
    await answer.getByText('$0', { exact: true }).waitFor();
    await answer.getByText('Served by').waitFor();
    await takeScreenshot(page, `playground-${name}`);
    await assertAccessible(page);
    await answer.getByRole('button', { name: 'Continue conversation' }).click();
    await page.getByLabel('Assistant').waitFor();
    assert.ok(!page.url().includes('harbour'), 'what was typed stands in no address');
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.doesNotMatch(stored, /eis_/, 'the key is in memory only');
    assert.deepEqual(faults, []);
    await context.close();
  });

test('Stop ends the request: its row says that the client disconnected', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/playground?model=sandbox/slow');
  // A second a word: it does not end before somebody ends it.
  await page.getByLabel('User').fill('one two three four five six seven eight nine ten '.repeat(10));
  await page.getByRole('button', { name: 'Run' }).click();
  const answer = page.getByRole('article', { name: 'Response from sandbox/slow' });
  await answer.getByText('one').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await answer.getByText('Stopped').waitFor();
  await answer.getByText('Client disconnected').waitFor();
  await context.close();
});

const runFile = promisify(execFile);

/** A Python that has a package: that which `npm run test:browser` sets up, else the machine's. */
function pythonWith(name: string): { readonly program: string; readonly absent: string | null } {
  const root = join(import.meta.dirname, '..', '..', '..');
  for (const program of [join(root, '.runtime', 'clients', 'python', 'bin', 'python'), 'python3'])
    if (spawnSync(program, ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0)
      return { program, absent: null };
  return { program: '', absent: `no Python here has the package ${name}; why, the set-up of the suite said` };
}

test('two models answer side by side, and the copied Python runs unchanged and asks both', async (t) => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/playground?model=sandbox/echo');
  await page.getByLabel('User').fill("It's a test");
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByLabel('Second model or route').fill('sandbox/tools');
  await page.getByLabel('User').click();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('article', { name: 'Response from sandbox/echo' }).getByText("It's a test").waitFor();
  await page
    .getByRole('article', { name: 'Response from sandbox/tools' })
    .getByText('Open request')
    .waitFor();
  await takeScreenshot(page, 'playground-compare');
  await assertAccessible(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByRole('menuitem', { name: 'Python, OpenAI' }).click();
  const code = await waitForCopiedText(page, /environ\["FLOE_API_KEY"\]/);
  assert.doesNotMatch(code, /eis_/);
  const python = pythonWith('openai');
  if (python.absent === null) {
    const { stdout } = await runFile(python.program, ['-c', code], {
      env: { FLOE_API_KEY: CONSOLE_KEY },
      timeout: 60_000,
    });
    assert.equal(stdout, "sandbox/echo: It's a test\nsandbox/tools: It's a test\n");
  } else t.diagnostic(`THE COPIED CODE WAS NOT RUN: ${python.absent}`);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a viewer reads the playground and cannot run it', async () => {
  harness.signInAs('viewer');
  const { page, context } = await openConsolePage(harness, '/o/acme/playground');
  const run = page.getByRole('button', { name: 'Run' });
  await run.waitFor();
  assert.equal(await run.getAttribute('aria-disabled'), 'true');
  await page.getByText('Requires the member role.').first().waitFor();
  harness.signInAs('owner');
  await context.close();
});

for (const [name, look] of [
  ['desktop-dark', { dark: true }],
  ['phone-light', { phone: true }],
] as const)
  test(`Connect makes a key and sees the first call with it: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/connect', look);
    await page.getByRole('link', { name: 'Claude Code' }).click();
    await page.getByRole('button', { name: 'Create key mara-claude-code' }).click();
    await page.getByText('This is the only time the full key is shown.').waitFor();
    const lines = (await page.locator('pre').first().textContent()) ?? '';
    const [key = ''] = /eis_[\w-]+/.exec(lines) ?? [];
    assert.match(lines, /^export ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/gateway$/m);
    await page.getByText('Waiting for the first request from Claude Code…').waitFor();
    await page.getByText('If no request arrives').click();
    await page
      .getByText(`…${key.slice(-4)}`)
      .first()
      .waitFor();
    await callHttp(`${harness.floe.url}/gateway/v1/messages`, {
      headers: { 'x-api-key': key },
      body: { model: 'sandbox/echo', max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] },
    });
    await page.getByText('Claude Code is connected.').waitFor();
    await takeScreenshot(page, `connect-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });
