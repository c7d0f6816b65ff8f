import { useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';

/** What the whole org may spend in a month. */
export function BudgetStep({ isDone }: { readonly isDone: boolean }) {
  const [usd, setUsd] = useState('');
  const amount = Number(usd);
  const make = useApiMutation(
    () =>
      sendJson('POST', 'api/management/budgets', {
        name: 'org-month',
        scope: 'org',
        period: 'month',
        limit_usd: amount,
        mode: 'hard',
      }),
    { touches: [['guide'], ['budgets']] },
  );
  if (isDone)
    return (
      <p className="text-ui text-ink-2">
        There is one. <OrgLink to="/management/budgets">See the budgets</OrgLink>
      </p>
    );
  return (
    <Form
      needs="management"
      onSubmit={() => make.run(undefined)}
      error={make.error}
      running={make.running}
      actions={
        <Button type="submit" needs="management" busy={make.running}>
          Set the budget
        </Button>
      }
    >
      <FormField
        name="limit_usd"
        label="Dollars a month, for the whole organization"
        hint="At 80 % you are told; at 100 % requests are refused with 402."
        problem={usd !== '' && !(amount > 0) ? 'An amount above 0.' : null}
      >
        <Input
          inputMode="decimal"
          value={usd}
          placeholder="100"
          onChange={({ target }) => setUsd(target.value)}
        />
      </FormField>
    </Form>
  );
}
