import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { type Browser, chromium, type Page } from 'playwright-core';
import { assertAccessible } from './checks.ts';
import { findBrowser } from './console-harness.ts';

/** An installation in which no one can sign in with a password: its one-time links ask for none. */
let floe: FloeProcess;
let browser: Browser;

before(async () => {
  floe = await startFloeProcess({ yaml: 'auth: { password: false }\n' });
  browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
});
after(async () => {
  await browser.close();
  await floe.stop();
});

async function openLink(link: string): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(TEST_TIMEOUT_MS);
  await page.goto(link);
  return page;
}

test('the links for an owner and for a member ask for no password, and say how to sign in later', async () => {
  const [link = ''] = await floe.waitForOutput(/http[^\s"]+\/sign-in#token=[\w-]{43}/);
  const page = await openLink(link);
  await page.getByLabel('Name').fill('Mara Koch');
  await page.getByText(/^No sign-in method works at this URL\. When your session ends/).waitFor();
  assert.equal(await page.getByLabel('Password').count(), 0);
  await page.getByLabel('Email').fill('mara@acme.example');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Set up your gateway in five steps' }).waitFor();
  await page.goto(`${new URL(link).origin}/o/default/management/settings/account`);
  await page.getByText('mara@acme.example').first().waitFor();
  await page.getByRole('heading', { name: 'Password' }).waitFor({ state: 'detached' });

  const invitation = await page.evaluate(async () => {
    const made = await fetch('/api/management/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'omar@acme.example', role: 'member' }),
    });
    return made.text();
  });
  const [invitationLink = ''] = /http[^"]+#t=[\w-]+/.exec(invitation) ?? [];
  const invited = await openLink(invitationLink);
  await invited.getByLabel('Name').fill('Omar Haddad');
  assert.equal(await invited.getByLabel('Password').count(), 0);
  await invited.getByRole('button', { name: 'Accept invitation' }).click();
  await invited.getByRole('heading', { name: 'Overview' }).waitFor();

  const signedOut = await openLink(`${new URL(link).origin}/sign-in`);
  await signedOut.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await signedOut.getByLabel('Password').count(), 0);
});
