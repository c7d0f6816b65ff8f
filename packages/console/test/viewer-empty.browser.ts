import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowserContext } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';
import { CONSOLE_PATHS } from './populated-console.ts';
import { trackPageRequests, waitForSettledPage } from './settled-page.ts';

/** What a new installation offers a viewer: pages without content suggest to create some. */

const NOTHING = { teams: [], providers: [], routes: [], limits: [], monitors: [] };
/** The names of actions that need a permission, and of those that anyone may perform. */
const ACTION = /^(Create|Add|Invite|New|Send|Set|Force|Import|Start|Run)\b/;
const ALLOWED = /^Add (filter|message|image|passkey)$/;

let harness: MemberHarness;
before(async () => {
  harness = await startMemberHarness('', NOTHING);
});
after(() => harness.close());

test('a viewer cannot start an action on an empty page, with a control or a shortcut', async () => {
  harness.signInAs('viewer');
  const context = await openBrowserContext(harness);
  const page = await context.newPage();
  trackPageRequests(page);
  const wrong: string[] = [];
  let disabled = 0;
  for (const path of CONSOLE_PATHS.filter((each) => !/[${]/.test(each))) {
    const address = `${harness.url}/o/acme${path}`;
    await page.goto(address);
    await waitForSettledPage(page);
    const controls = page.locator('main').locator('a[href], button, [role=link], [role=button]');
    for (const control of await controls.all()) {
      const name = (await control.getAttribute('aria-label')) ?? (await control.innerText());
      if (!ACTION.test(name) || ALLOWED.test(name)) continue;
      if (await control.isEnabled()) wrong.push(`${path}: ${name}`);
      else disabled += 1;
    }
    await page.keyboard.press('c');
    if (page.url() !== address) wrong.push(`${path}: the key c opens ${page.url()}`);
    if ((await page.getByRole('dialog').count()) > 0 && !path.includes('?open'))
      wrong.push(`${path}: the key c opens a dialog`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(disabled > 10, `${disabled} actions are disabled`);
  await context.close();
});
