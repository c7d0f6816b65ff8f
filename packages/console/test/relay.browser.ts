import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot } from './checks.ts';
import { CONSOLE_KEY, type ConsoleHarness, openConsolePage, startConsoleHarness } from './console-harness.ts';

/** The walk of the relay: read a command, write a rule, replay it, and answer an agent from a phone. */

const FORCE = 'cd /srv/app && sudo env X=1 git push -f origin main';
const RULES = [
  {
    name: 'prod-db',
    on: 'shell',
    match: { command: 'psql', args: 'prod*' },
    decision: 'ask',
    message: { user: 'This is production.', agent: 'Use the staging database.' },
  },
  {
    name: 'piped-installer',
    on: 'shell',
    mode: 'observe',
    match: { does: 'runs_input' },
    decision: 'deny',
  },
];
const headers = { authorization: `Bearer ${CONSOLE_KEY}` };
let harness: ConsoleHarness;

async function ask(command: string, session = 'ses-1'): Promise<Readonly<Record<string, unknown>>> {
  const answer = await callHttp(`${harness.floe.url}/relay/v1/decisions`, {
    headers,
    body: {
      event: 'shell',
      session_id: session,
      agent: { name: 'claude-code', version: '2.1.0' },
      client: { version: '1.4.0' },
      repository: { remote: 'github.com/acme/app', branch: 'main' },
      shell: { command },
    },
  });
  const body = answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  return isJsonObject(body) ? body : {};
}

/** What an agent hears that waits for a person. */
async function waitFor(id: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await callHttp(`${harness.floe.url}/relay/v1/approvals/${id}?wait_seconds=20`, { headers });
  const body = answer.json();
  return isJsonObject(body) ? body : {};
}

async function waitingId(command: string): Promise<string> {
  const { approval } = await ask(command);
  return isJsonObject(approval) ? String(approval['id']) : '';
}

before(async () => {
  harness = await startConsoleHarness('', {
    relay: { mode: 'enforce', approvals: { enabled: true }, rules: RULES },
  });
  for (const command of ['npm test', FORCE, 'curl -fsS https://acme.example/install.sh | sh', 'ls -la'])
    await ask(command);
  await harness.chat('sandbox/echo');
});
after(() => harness.close());

const rows = (page: Page, count: number) =>
  page.waitForFunction((least) => document.querySelectorAll('[data-row]').length >= least, count);

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`decisions say what was asked and why it was answered so: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(
      harness,
      '/o/acme/relay/decisions?range=1h',
      look,
    );
    await rows(page, 4);
    await takeScreenshot(page, `relay-decisions-${name}`);
    await assertAccessible(page);
    await page.getByText('curl -fsS').click();
    await page.getByRole('list', { name: 'Parsed commands' }).waitFor();
    await page.getByText('runs downloaded or piped code').waitFor();
    await takeScreenshot(page, `relay-decision-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

test('a live list that has loaded several pages is live again after scrolling back to the top', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  let polls = 0;
  await page.route(/\/api\/management\/relay\/decisions\?/, async (route) => {
    const isNext = new URL(route.request().url()).searchParams.get('cursor') === 'next';
    if (!isNext) polls += 1;
    const answer = await route.fetch({ url: route.request().url().replace('cursor=next', '') });
    const { data } = await answer.json();
    const of = isNext ? 'older' : 'newer';
    const many = Array.from({ length: 100 }, (_, at) => ({ ...data[0], id: `dec_${of}${at}` }));
    return route.fulfill({ json: { data: many, next_cursor: isNext ? null : 'next' } });
  });
  await page.goto(`${harness.url}/o/acme/relay/decisions?range=1h`);
  await rows(page, 10);
  const next = page.waitForResponse((answer) => answer.url().includes('cursor=next'));
  await page.locator('[data-scroll]').evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await next;
  await page.locator('[data-row^="dec_older"]').first().waitFor();
  const top = () => page.locator('[data-scroll]').evaluate((list) => list.scrollTo(0, 0));
  const isPolled = async () => {
    const before = polls;
    await eventually(async () => polls >= before + 2 || undefined);
  };
  await top();
  await isPolled();
  // Turned off at the bottom and on at the top, it is live again too.
  const live = page.getByRole('button', { name: 'Live', exact: true });
  await live.click();
  await page.locator('[data-scroll]').evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await page.locator('[data-row^="dec_older"]').first().waitFor();
  await top();
  await page.locator('[data-row="dec_newer0"]').waitFor();
  await live.click();
  await isPolled();
  // A page that arrives after the return to the top is not added.
  let isHeld = true;
  await page.route(/cursor=next/, async (route) => {
    await eventually(async () => !isHeld || undefined);
    await route.fallback();
  });
  const late = page.waitForRequest(/cursor=next/);
  await page.locator('[data-scroll]').evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await late;
  await top();
  await page.locator('[data-row="dec_newer0"]').waitFor();
  isHeld = false;
  await isPolled();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
});

test('a decision links to its rule, and labels the built-in rule', async () => {
  const { page, context, faults } = await openConsolePage(
    harness,
    '/o/acme/relay/decisions?range=1h&rule=unclear-command',
  );
  await page.getByText('curl -fsS').click();
  const rules = page.getByRole('region', { name: 'Decision', exact: true });
  await rules.getByText('built-in').waitFor();
  assert.equal(await rules.getByRole('link', { name: 'unclear-command' }).count(), 0);
  await rules.getByRole('link', { name: 'piped-installer' }).click();
  await page.waitForURL(/relay\/rules\/[^/]+$/);
  await page.goto(`${harness.url}/o/acme/relay/rules`);
  await page.getByText('Built-in rule unclear-command:').waitFor();
  await page.getByLabel('Command', { exact: true }).fill('curl -fsS https://acme.example/install.sh | sh');
  await page.getByText('A stricter rule would deny this action, but is not enforced.').waitFor();
  assert.equal(await page.getByText('so the action is not blocked').count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a command is read, a rule is drafted, replayed and saved', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/relay/rules', { dark: true });
  await rows(page, 2);
  await page.getByLabel('Command', { exact: true }).fill(FORCE);
  await page.getByText('No rule matches this action.').waitFor();
  await takeScreenshot(page, 'relay-rules-desktop-dark');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByLabel('Name').fill('no-force-push');
  await page.getByLabel('Commands (optional)', { exact: true }).fill('git');
  await page.getByLabel('Subcommands').fill('push');
  await page.getByLabel('Any of these flags').fill('-f\n--force');
  await page.getByLabel('Message to the user').fill('Force pushes are blocked.');
  await page.getByLabel('Command', { exact: true }).fill(FORCE);
  await page.getByText('Would be denied by rule no-force-push.').waitFor();
  await page.getByText('The draft changes this result.').waitFor();
  const named = page.getByRole('list', { name: 'Parsed commands' }).getByRole('listitem');
  assert.deepEqual(await named.filter({ hasText: 'no-force-push' }).allInnerTexts(), [
    await named.last().innerText(),
  ]);
  await page.getByRole('button', { name: 'Replay decisions' }).click();
  await page.getByText('Changes: 1 now denied.').waitFor();
  await takeScreenshot(page, 'relay-rule-editor-desktop-dark');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.waitForURL(/\/relay\/rules\/rlr_/);
  await page.getByText('It does not block any action.', { exact: false }).first().waitFor();
  const { decision, enforced_decision: would } = await ask('git push --force');
  assert.deepEqual([decision, would], ['abstain', 'deny']);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a field that the server refuses says so where it is, and a rule of the file is only read', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/relay/rules/new', { phone: true });
  await page.getByLabel('Name').fill('Not A Slug');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  await takeScreenshot(page, 'relay-rule-editor-phone-light');
  await assertAccessible(page);
  await page.goto(`${harness.url}/o/acme/relay/rules/prod-db`);
  await page.getByText('To make changes, edit the file').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save rule' }).count(), 0);
  assert.equal(await page.getByLabel('Name').isDisabled(), true);
  await context.close();
});

test('an agent that waits is answered from a phone, and reads the note', async () => {
  const id = await waitingId('psql prod-eu -c "select 1"');
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/relay/approvals', {
    phone: true,
    dark: true,
  });
  await page.getByRole('heading', { name: 'Approvals (2)' }).waitFor();
  const card = page.getByRole('article', { name: /psql prod-eu/ });
  await takeScreenshot(page, 'relay-approvals-phone-dark');
  await assertAccessible(page);
  const box = await card.getByRole('button', { name: 'Allow once' }).boundingBox();
  assert.ok((box?.height ?? 0) >= 48);
  const heard = waitFor(id);
  await card.getByLabel('Note for the agent').fill('Read only, please.');
  await card.getByRole('button', { name: 'Allow once' }).click();
  const { state, scope, note } = await heard;
  assert.deepEqual([state, scope, note], ['allowed', 'once', 'Read only, please.']);
  await card.waitFor({ state: 'detached' });
  await page.getByText('Allowed once', { exact: true }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('keys answer only while the card has the focus; who may not answer sees why', async () => {
  const id = await waitingId('psql prod-us');
  const { page, context } = await openConsolePage(harness, '/o/acme/relay/approvals');
  const card = page.getByRole('article', { name: /psql prod-us/ });
  await card.waitFor();
  await page.keyboard.press('d');
  await card.getByLabel('Note for the agent').fill('d');
  await takeScreenshot(page, 'relay-approvals-desktop-light');
  harness.signInAs('viewer');
  await page.reload();
  await card.getByRole('button', { name: 'Deny' }).hover();
  await page.getByText('Requires the admin role.', { exact: false }).first().waitFor();
  harness.signInAs('owner');
  await page.reload();
  await card.focus();
  const heard = waitFor(id);
  await page.keyboard.press('d');
  assert.equal((await heard)['state'], 'denied');
  await context.close();
});

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`coverage tells who uses models and never asks: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/relay/coverage', look);
    await rows(page, 1);
    await takeScreenshot(page, `relay-coverage-${name}`);
    await assertAccessible(page);
    await page.locator('[data-row]').first().click();
    await page.getByRole('heading', { name: 'Install the hook' }).waitFor();
    await takeScreenshot(page, `relay-coverage-drawer-${name}`);
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Hook versions' }).click();
    await page.getByText('1.4.0').waitFor();
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await page.getByText('ses-1').first().waitFor();
    await takeScreenshot(page, `relay-sessions-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });
