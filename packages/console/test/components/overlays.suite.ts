import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AXE_COLOR_RULES, assertAccessible, takeScreenshot, waitForCopiedText } from '../checks.ts';
import { type MountSpecimen, readReports, waitForFocus } from './workbench.ts';

export function overlayTests(mount: MountSpecimen): void {
  for (const dark of [false, true])
    test(`a tooltip shows on keyboard focus and on rest, and describes its control${dark ? ', in the dark' : ''}`, async () => {
      const { page, close } = await mount('Tooltips', { dark });
      const tooltip = page.getByRole('tooltip');
      const [share, edit] = [
        page.getByRole('button', { name: 'Share' }),
        page.getByRole('button', { name: 'Edit' }),
      ];
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await waitForFocus(share);
      await tooltip.getByText('Share').waitFor();
      assert.equal(await share.getAttribute('aria-describedby'), await tooltip.getAttribute('id'));
      await takeScreenshot(page, `tooltip-${dark ? 'dark' : 'light'}`);
      await assertAccessible(page);
      await page.keyboard.press('Escape');
      await tooltip.waitFor({ state: 'detached' });
      assert.equal(await share.getAttribute('aria-describedby'), null);
      await page.keyboard.press('Tab');
      await tooltip.getByText('Edit').waitFor();
      assert.match((await edit.getAttribute('aria-describedby')) ?? '', /^remark /);
      await page.keyboard.press('Tab');
      await tooltip.waitFor({ state: 'detached' });
      await share.hover();
      await tooltip.getByText('Share').waitFor();
      await tooltip.hover();
      await share.click();
      await tooltip.waitFor({ state: 'detached' });
      await close();
    });

  test('in a dialog the first Escape takes the tooltip away, the second the dialog; opening shows none', async () => {
    const { page, close } = await mount('Tooltips', { phone: true });
    await page.getByRole('button', { name: 'Open' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Question' });
    await waitForFocus(dialog.getByRole('button', { name: 'Close' }));
    assert.equal(await page.getByRole('tooltip').count(), 0);
    for (const name of ['Share this', 'Close']) {
      await page.keyboard.press('Tab');
      await page.getByRole('tooltip').getByText(name).waitFor();
    }
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await close();
  });

  test('a dialog holds the focus, closes with Escape unless it must not, and gives the focus back', async () => {
    const { page, close } = await mount('Dialogs');
    const dialog = page.getByRole('dialog', { name: 'New key', description: 'It is shown once.' });
    await page.getByRole('button', { name: 'Plain' }).press('Enter');
    await waitForFocus(dialog.getByRole('button', { name: 'Close' }));
    await page.keyboard.press('Shift+Tab');
    await waitForFocus(dialog.getByRole('button', { name: 'Done' }));
    await page.keyboard.press('Tab');
    await waitForFocus(dialog.getByRole('button', { name: 'Close' }));
    await assertAccessible(page);
    await dialog.getByRole('textbox', { name: 'Name' }).press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await waitForFocus(page.getByRole('button', { name: 'Plain' }));
    await page.getByRole('button', { name: 'Held' }).press('Enter');
    await waitForFocus(dialog.getByRole('textbox', { name: 'Name' }));
    assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await close();
  });

  test('a question starts on Cancel, waits for the name, tells a refusal and takes one answer at a time', async () => {
    const { page, close } = await mount('Confirmations');
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete route smart?' });
    await waitForFocus(dialog.getByRole('button', { name: 'Cancel' }));
    const go = dialog.getByRole('button', { name: 'Delete route' });
    assert.equal(await go.isDisabled(), true);
    await dialog.getByRole('textbox', { name: 'Type smart to confirm' }).fill('smart');
    await go.press('Enter');
    await dialog.getByRole('alert').getByText('Two keys still use it.').waitFor();
    await assertAccessible(page);
    await go.press('Enter');
    await dialog.locator('[aria-disabled=true]').waitFor();
    assert.equal(await page.locator('output').innerText(), 'confirmed, confirmed');
    await close();
  });

  test('a menu is walked by arrows and letters over what is off, marks what is current, and keeps open for toggles', async () => {
    const { page, close } = await mount('Menus');
    const more = page.getByRole('button', { name: 'More' });
    await more.press('Enter');
    await waitForFocus(page.getByRole('menuitem', { name: 'Open' }));
    await page.keyboard.press('ArrowDown');
    const copy = page.getByRole('menuitem', { name: 'Copy' });
    await waitForFocus(copy);
    assert.equal(await copy.getAttribute('aria-current'), 'true');
    assert.equal(await page.getByRole('menuitem', { name: 'Replay' }).getAttribute('aria-disabled'), 'true');
    await page.keyboard.press('b');
    await waitForFocus(page.getByRole('menuitemcheckbox', { name: 'Bodies', checked: false }));
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Bodies', checked: true }).waitFor();
    // What is behind an open menu is hidden from screen readers, which axe takes for a fault.
    await assertAccessible(page, AXE_COLOR_RULES);
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await waitForFocus(more);
    assert.equal(await readReports(page), 'opened');
    await close();
  });

  test('a popover takes the focus in and gives it back with Escape', async () => {
    const { page, close } = await mount('Menus');
    const columns = page.getByRole('button', { name: 'Columns' });
    await columns.press('Enter');
    const popover = page.getByRole('dialog', { name: 'Columns' });
    await waitForFocus(popover.getByRole('textbox', { name: 'Find a column' }));
    await page.keyboard.press('Escape');
    await popover.waitFor({ state: 'detached' });
    await waitForFocus(columns);
    await close();
  });

  test('a toast is said to screen readers, can be undone and dismissed; three stand at most', async () => {
    const { page, close } = await mount('ToastSpecimens');
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    const toasts = page.getByRole('listitem');
    await toasts.getByText('The limit was deleted.').waitFor();
    await toasts.getByRole('button', { name: 'Undo' }).press('Enter');
    assert.equal(await readReports(page), 'undone');
    await toasts.first().waitFor({ state: 'detached' });
    for (const _ of Array.from({ length: 4 }))
      await page.getByRole('button', { name: 'Copy' }).press('Enter');
    assert.equal(await toasts.count(), 3);
    await assertAccessible(page);
    await toasts.first().getByRole('button', { name: 'Dismiss' }).press('Enter');
    await toasts.nth(2).waitFor({ state: 'detached' });
    await close();
  });

  test('a drawer takes the focus, moves on with the row it is about, and gives the focus back to the last one', async () => {
    const { page, close } = await mount('DrawerBesideList');
    await page.getByRole('button', { name: 'one' }).press('Enter');
    const drawer = page.getByRole('region', { name: 'Limit' });
    await waitForFocus(drawer);
    await page.locator('[data-row=two]').dispatchEvent('click');
    await drawer.getByRole('textbox', { name: 'Name' }).press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await waitForFocus(page.getByRole('button', { name: 'two' }));
    await close();
  });

  test('a secret is masked until it is asked for, and its dialog closes once it was copied', async () => {
    const { page, close } = await mount('RevealedSecret');
    const dialog = page.getByRole('dialog', { name: 'Key made' });
    const secret = dialog.locator('[data-secret]');
    assert.match(await secret.innerText(), /^eis_test•+last$/);
    await dialog.getByRole('button', { name: 'Show key' }).press('Enter');
    assert.match(await secret.innerText(), /^eis_test0+last$/);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Copy key' }).press('Enter');
    await dialog.getByRole('status').getByText('Copied.').waitFor();
    await waitForCopiedText(page, /^eis_test0+last$/);
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await close();
  });
}
