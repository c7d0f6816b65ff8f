import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, waitForCopiedText } from '../checks.ts';
import { type MountSpecimen, readReports, waitForFocus } from './workbench.ts';

export function controlTests(mount: MountSpecimen): void {
  test('a button acts once it may: busy, off and refused ones keep still, and the refused one says why', async () => {
    const { page, close } = await mount('Buttons', { role: 'viewer' });
    for (const name of ['Save', 'Send', 'Delete', 'Copy id'])
      await page.getByRole('button', { name }).press('Enter');
    assert.equal(await readReports(page), 'saved');
    assert.equal(await page.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled'), 'true');
    assert.equal(await page.getByRole('button', { name: 'Off' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Send' }).focus();
    await page.keyboard.press('Tab');
    await waitForFocus(page.getByRole('button', { name: 'Delete' }));
    await page
      .getByRole('tooltip')
      .getByText(/^Requires the admin role\. Ask /)
      .waitFor();
    await assertAccessible(page);
    await close();
  });

  test('a checkbox and a switch are toggled by Space and named by their label; what is off stays', async () => {
    const { page, close } = await mount('Toggles');
    const stream = page.getByRole('checkbox', { name: 'Stream' });
    await stream.press(' ');
    assert.equal(await stream.isChecked(), true);
    assert.equal(await page.getByRole('switch', { name: 'Enforce' }).isChecked(), true);
    await page.getByText('Answers as they come').click();
    assert.equal(await stream.isChecked(), false);
    assert.equal(await page.getByRole('checkbox', { name: 'Stored' }).isDisabled(), true);
    assert.equal(await page.getByRole('switch', { name: 'Locked' }).isDisabled(), true);
    assert.equal(await readReports(page), 'stream true, stream false');
    await assertAccessible(page);
    await close();
  });

  test('cards to choose from are radio buttons that arrows walk', async () => {
    const { page, close } = await mount('ChoiceCards');
    await page.getByRole('group', { name: 'Mode' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await waitForFocus(page.getByRole('radio', { name: 'Enforce' }));
    assert.equal(await page.getByRole('radio', { name: 'Enforce' }).isChecked(), true);
    await assertAccessible(page);
    await close();
  });

  test('tabs are one stop that arrows, Home and End walk; segments say which of them is on', async () => {
    const { page, close } = await mount('TabsAndSegments');
    await page.getByRole('tablist', { name: 'Parts' }).waitFor();
    await page.keyboard.press('Tab');
    await waitForFocus(page.getByRole('tab', { name: 'Attempts' }));
    for (const [key, name, text] of [
      ['ArrowRight', 'Body', 'The body'],
      ['End', 'Costs', 'The costs'],
      ['ArrowRight', 'Attempts', 'Two attempts'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('tabpanel', { name }).getByText(text).waitFor();
    }
    const week = page.getByRole('group', { name: 'Range' }).getByRole('button', { name: '7 d' });
    assert.equal(await week.getAttribute('aria-pressed'), 'false');
    await week.press('Enter');
    assert.equal(await week.getAttribute('aria-pressed'), 'true');
    await assertAccessible(page);
    await close();
  });

  test('code is copied as it is shown; the language that was chosen comes first the next time', async () => {
    const { page, close } = await mount('CodeBlocks');
    const block = page.getByRole('figure').first();
    await block.getByRole('button', { name: 'Python', exact: true }).press('Enter');
    await block.getByText('print("hello")').waitFor();
    await block.getByRole('button', { name: 'Copy Python' }).press('Enter');
    await block.getByRole('status').getByText('Copied').waitFor();
    await waitForCopiedText(page, /^print\("hello"\)$/);
    await assertAccessible(page);
    await page.reload();
    await page.getByText('print("bye")').waitFor();
    await close();
  });

  test('JSON is folded below the second level, and a long list comes a hundred at a time', async () => {
    const { page, close } = await mount('JsonViews');
    const deep = page.getByRole('button', { name: 'deeper: {1}' });
    assert.equal(await deep.getAttribute('aria-expanded'), 'false');
    await deep.press('Enter');
    await page.getByText('deepest: true').waitFor();
    await page.getByRole('button', { name: 'Show 20 more' }).press('Enter');
    await page.getByText('119: 119').waitFor();
    assert.equal(await page.getByRole('button', { name: /more$/ }).count(), 0);
    await assertAccessible(page);
    await close();
  });
}
