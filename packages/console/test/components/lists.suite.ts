import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from '../checks.ts';
import { type MountSpecimen, readReports, waitForFocus } from './workbench.ts';

export function listTests(mount: MountSpecimen): void {
  test('a table is one stop; keys walk its rows, also those that were out of view, and Enter opens one', async () => {
    const { page, close } = await mount('DataTables');
    const row = (id: string) => page.locator(`[data-row="${id}"]`);
    await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').focus();
    await page.keyboard.press('Tab');
    await waitForFocus(row('row-0'));
    await page.keyboard.press('ArrowDown');
    await waitForFocus(row('row-1'));
    await page.keyboard.press('End');
    await waitForFocus(row('row-199'));
    assert.equal(await row('row-199').getAttribute('aria-rowindex'), '201');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Home');
    await waitForFocus(row('row-0'));
    assert.equal(await readReports(page), 'opened row-199');
    assert.ok((await page.getByRole('row').count()) < 60);
    await close();
  });

  test('a row keeps the focus while rows arrive above it, and keys start from it', async () => {
    const { page, close } = await mount('MovingRows');
    const row = (id: string) => page.locator(`[data-row="${id}"]`);
    await row('row-30').focus();
    await page.keyboard.press('ArrowDown');
    await waitForFocus(row('row-31'));
    await page.evaluate("window.dispatchEvent(new Event('arrive'))");
    await page.locator('[role=table][data-rows="60"]').waitFor();
    await waitForFocus(row('row-31'));
    await page.keyboard.press('Enter');
    assert.equal(await readReports(page), 'opened row-31');
    await page.keyboard.press('ArrowDown');
    await waitForFocus(row('row-32'));
    await close();
  });

  test('the head of a column sorts up, down and not at all, and says which', async () => {
    const { page, close } = await mount('DataTables');
    const cost = page.getByRole('columnheader', { name: 'Cost' });
    const first = page.locator('[data-index="0"] [data-column=cost]');
    for (const [order, shown] of [
      ['ascending', '0'],
      ['descending', '199'],
      [null, '0'],
    ] as const) {
      await cost.getByRole('button').press('Enter');
      await first.getByText(shown, { exact: true }).waitFor();
      assert.equal(await cost.getAttribute('aria-sort'), order);
    }
    assert.equal(await page.getByRole('columnheader', { name: 'Id' }).getByRole('button').count(), 0);
    await close();
  });

  test('columns are chosen in a menu that stays open; a table that waits for an answer says so', async () => {
    const { page, close } = await mount('DataTables');
    await page.getByRole('button', { name: 'Choose columns' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Source' }).press(' ');
    await page.getByRole('menuitemcheckbox', { name: 'Cost', checked: true }).press(' ');
    await page.keyboard.press('Escape');
    assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['Id', 'Source']);
    const table = page.getByRole('table', { name: 'Costs' });
    assert.equal(await table.getAttribute('aria-rowcount'), '200');
    await page.getByRole('button', { name: 'Ask again' }).press('Enter');
    await page.locator('[role=table][aria-busy=true]').waitFor();
    await assertAccessible(page);
    await close();
  });

  test('on a phone a row is its card, and a tap opens it', async () => {
    const { page, close } = await mount('DataTables', { phone: true });
    assert.equal(await page.getByRole('columnheader').count(), 0);
    await page.getByText('row-1 costs 7').tap();
    assert.equal(await readReports(page), 'opened row-1');
    await assertAccessible(page);
    await close();
  });

  test('what is empty, failed, on its way or partial says so by role and name, with the way on', async () => {
    const { page, close } = await mount('ListStates');
    await page.getByRole('heading', { name: 'No limits yet' }).waitFor();
    await page.getByRole('button', { name: 'Create limit' }).press('Enter');
    const failed = page.getByRole('alert').first();
    for (const text of ['The database does not respond.', 'store_unavailable', 'exc_states'])
      await failed.getByText(text, { exact: true }).waitFor();
    await failed.getByRole('button', { name: 'Copy request id' }).waitFor();
    await failed.getByRole('button', { name: 'Retry' }).press('Enter');
    await page.getByRole('alert').getByText('An error occurred in the console. Reload the page.').waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    const more = page.getByRole('button', { name: 'Load more' });
    assert.equal(await more.count(), 1);
    assert.equal(await more.getAttribute('aria-disabled'), 'true');
    assert.equal(await readReports(page), 'made, retried');
    await assertAccessible(page);
    await close();
  });

  test('a list is ordered by keyboard: Space lifts and drops, arrows move, Escape puts back, each said aloud', async () => {
    const { page, close } = await mount('SortedLists');
    const status = page.getByRole('status');
    const order = () => page.getByRole('listitem').allInnerTexts();
    const handle = (name: string) => page.getByRole('button', { name: `Move ${name}` });
    await handle('first').press(' ');
    await status.getByText('first picked up').waitFor();
    await page.keyboard.press('ArrowDown');
    await status.getByText('first, position 2 of 3').waitFor();
    await waitForFocus(handle('first'));
    await page.keyboard.press('Escape');
    await status.getByText('first returned to its original position').waitFor();
    assert.deepEqual(await order(), ['1\nfirst', '2\nsecond', '3\nthird']);
    await handle('third').press('Alt+ArrowUp');
    await status.getByText('third, position 2 of 3').waitFor();
    assert.deepEqual(await order(), ['1\nfirst', '2\nthird', '3\nsecond']);
    await assertAccessible(page);
    await close();
  });
}
