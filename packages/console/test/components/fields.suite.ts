import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, waitForValue } from '../checks.ts';
import { type MountSpecimen, readReports, waitForFocus } from './workbench.ts';

export function fieldTests(mount: MountSpecimen): void {
  test('a field is named by its label and described by its remark, or by what is wrong with it instead', async () => {
    const { page, close } = await mount('TextFields');
    const described = async (name: RegExp) => {
      const field = page.getByRole('textbox', { name });
      const id = await field.getAttribute('aria-describedby');
      return [await field.getAttribute('aria-invalid'), await page.locator(`[id="${id}"]`).innerText()];
    };
    assert.deepEqual(await described(/^Name \(optional\)$/), [null, 'Letters and digits']);
    assert.deepEqual(await described(/^Words$/), ['true', 'Words are missing.']);
    assert.equal(await page.getByRole('combobox', { name: 'Model' }).inputValue(), 'flaky');
    await assertAccessible(page);
    await close();
  });

  test('a form shows an error at its field, which takes the focus, or on top; while it runs it is not sent again', async () => {
    const { page, close } = await mount('FormStates');
    const weight = page.getByRole('textbox', { name: 'Weight' });
    await page.getByRole('textbox', { name: 'Name' }).press('Enter');
    await waitForFocus(weight);
    await page.getByText('Must be positive.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await weight.fill('2');
    await page.getByText('Must be positive.').waitFor({ state: 'hidden' });
    assert.equal(await weight.getAttribute('aria-invalid'), null, 'the edited value was not judged yet');
    await weight.press('Control+s');
    await page
      .getByRole('alert')
      .getByText(/^The server failed\.\s*Request ID: exc_form$/)
      .waitFor();
    await page.getByText('Too long.').waitFor();
    await weight.press('Enter');
    await page.locator('[aria-disabled=true]').waitFor();
    await weight.press('Enter');
    assert.equal(await readReports(page), 'submit 1, submit 2, submit 3');
    await assertAccessible(page);
    await close();
  });

  test('a form of somebody who may not is off and says why', async () => {
    const { page, close } = await mount('FormStates', { role: 'member' });
    await page.getByText(/^Requires the admin role\. Ask /).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    assert.equal(await readReports(page), '');
    await assertAccessible(page);
    await close();
  });

  test('a combobox narrows as one types, arrows walk it, Enter takes, Escape puts back, and no half word is sent', async () => {
    const { page, close } = await mount('Comboboxes');
    const model = page.getByRole('combobox', { name: 'Model', exact: true });
    await model.fill('');
    await model.press('ArrowDown');
    const chosen = page.getByRole('option', { selected: true });
    await chosen.getByText('sandbox/flaky').waitFor();
    assert.equal(await model.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'));
    await assertAccessible(page);
    await model.press('Enter');
    await waitForValue(model, 'sandbox/flaky');
    await model.fill('nothing like it');
    assert.equal(await model.getAttribute('aria-expanded'), 'false');
    await model.press('Enter');
    assert.equal(await readReports(page), '');
    await model.press('Escape');
    await waitForValue(model, 'sandbox/flaky');
    await model.press('Enter');
    assert.equal(await readReports(page), 'sent flaky');
    const free = page.getByRole('combobox', { name: 'Any model' });
    await free.fill('own/model');
    await free.press('Tab');
    await waitForValue(free, 'own/model');
    await close();
  });

  test('Escape in a combobox closes its list and discards its text before it closes the dialog around it', async () => {
    const { page, close } = await mount('ComboboxInDialog');
    const model = page.getByRole('combobox', { name: 'Model', exact: true });
    for (const text of ['fla', 'nothing like it']) {
      await model.fill(text);
      await model.press('Escape');
      await waitForValue(model, '');
      assert.equal(await readReports(page), '');
    }
    await model.press('Escape');
    assert.equal(await readReports(page), 'closed');
    await close();
  });

  test('a list of suggestions can be scrolled with a finger, and a tap takes an option', async () => {
    const { page, close } = await mount('ComboboxInDialog', { phone: true });
    const many = page.getByRole('combobox', { name: 'Many' });
    await many.tap();
    const option = page.getByRole('option', { name: 'model 2', exact: true });
    await option.dispatchEvent('pointerdown', { pointerType: 'touch', button: 0 });
    await option.click({ button: 'right' });
    await waitForValue(many, '');
    await option.tap();
    await waitForValue(many, 'model 2');
    await close();
  });

  test('the filter bar offers fields and values, turns a token round, removes it, and names a field that is not there', async () => {
    const { page, close } = await mount('FilterBars');
    const bar = page.getByRole('combobox', { name: 'Filter' });
    await bar.fill('sta');
    await bar.press('Enter');
    await waitForValue(bar, 'status:');
    await bar.press('ArrowDown');
    await bar.press('ArrowDown');
    await page.getByRole('option', { name: 'status:429', selected: true }).waitFor();
    await assertAccessible(page);
    await bar.press('Enter');
    await page.getByRole('button', { name: 'Invert filter status is 429' }).press('Enter');
    await page.getByRole('button', { name: 'Invert filter status is not 429' }).waitFor();
    await bar.press('Backspace');
    await page.getByRole('button', { name: 'Remove filter status' }).waitFor({ state: 'detached' });
    await bar.fill('modell:echo');
    await page.getByRole('alert').getByText('Unknown field: modell. Did you mean model?').waitFor();
    await close();
  });

  test('a range that moves forward opens with the start and the end that its button shows', async () => {
    const { page, close } = await mount('RollingTimeRange');
    const open = page.getByRole('button', { name: /Last hour/ });
    const [, end] = /(\d\d:\d\d) UTC/.exec(await open.innerText()) ?? [];
    await open.press('Enter');
    const shown = await page.getByLabel('To (UTC)').inputValue();
    assert.equal(shown.slice(-5), end);
    await close();
  });

  test('a time is chosen by preset, by length or by its ends; what makes no sense is said and not taken', async () => {
    const { page, close } = await mount('DateTimeFields');
    const open = page.getByRole('button', { name: /Last 24 hours/ });
    const panel = page.getByRole('dialog', { name: 'Time range' });
    await open.press('Enter');
    assert.equal(
      await panel.getByRole('button', { name: 'Last 24 hours' }).getAttribute('aria-pressed'),
      'true',
    );
    await assertAccessible(page);
    await panel.getByRole('button', { name: 'Last 7 days' }).press('Enter');
    await panel.waitFor({ state: 'detached' });
    await waitForFocus(open);
    await open.press('Enter');
    const last = panel.getByRole('textbox', { name: 'Custom duration' });
    await last.fill('soon');
    await last.press('Enter');
    await panel.getByText('Enter a number and a unit: m, h, d or w. Examples: 45m, 3d.').waitFor();
    await last.fill('45m');
    await last.press('Enter');
    await open.press('Enter');
    await panel.getByLabel('From').fill('2026-01-03T00:00');
    await panel.getByText('The end must be after the start.').waitFor();
    await panel.getByRole('button', { name: 'Apply time range' }).press('Enter');
    await panel.getByLabel('From').fill('2026-01-01T00:00');
    await panel.getByRole('button', { name: 'Apply time range' }).press('Enter');
    assert.equal(await readReports(page), '7d, 45m, 2026-01-01T00:00:00.000Z to 2026-01-02T12:00:00.000Z');
    await close();
  });
}
