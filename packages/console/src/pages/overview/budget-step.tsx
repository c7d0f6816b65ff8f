import { useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { overviewText } from './text.ts';

/** Renders the step of the setup guide that creates a monthly budget for the whole organization. */
export function BudgetStep({ isDone }: { readonly isDone: boolean }) {
  const [usd, setUsd] = useState('');
  const amount = Number(usd);
  const create = useApiMutation(
    (_: undefined, keys) => {
      const body = { name: 'org-month', scope: 'org', period: 'month', limit_usd: amount, mode: 'hard' };
      return sendJson('POST', 'api/management/budgets', body, { keys });
    },
    { touches: [['guide'], ['budgets']] },
  );
  if (isDone)
    return (
      <p className="text-ui text-ink-2">
        {overviewText.budgetStep.done}{' '}
        <OrgLink to="/management/budgets">{overviewText.budgetStep.showBudgets}</OrgLink>
      </p>
    );
  return (
    <Form
      needs="management"
      onSubmit={() => create.run(undefined)}
      error={create.error}
      running={create.running}
      actions={
        <Button type="submit" needs="management" busy={create.running}>
          {overviewText.budgetStep.create}
        </Button>
      }
    >
      <FormField
        name="limit_usd"
        label={overviewText.budgetStep.amount}
        hint={overviewText.budgetStep.amountHelp}
        problem={usd !== '' && !(amount > 0) ? overviewText.budgetStep.amountInvalid : null}
      >
        <Input
          inputMode="decimal"
          value={usd}
          placeholder={overviewText.budgetStep.amountPlaceholder}
          onChange={({ target }) => setUsd(target.value)}
        />
      </FormField>
    </Form>
  );
}
