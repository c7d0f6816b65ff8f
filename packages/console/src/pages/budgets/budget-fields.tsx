import type { FormPart } from '../../data/edit.ts';
import { Input, Select, TextArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { AwayField, SubjectFields } from '../limits/subject-fields.tsx';
import { type BudgetForm, budgetSentence, PERIODS } from './budget-form.ts';

const MODES = [
  { value: 'hard', label: 'Refuse with 402' },
  { value: 'soft', label: 'Only tell' },
] as const;

/** Everything a budget says. */
export function BudgetFields({ form, onChange }: FormPart<BudgetForm>) {
  const sentence = budgetSentence(form);
  return (
    <>
      <FormField name="name" label="Name" hint="Told to whom it refuses.">
        <Input
          value={form.name}
          placeholder="agents-month"
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </FormField>
      <SubjectFields form={form} onChange={onChange} />
      <Amount form={form} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField
          name="metadata"
          label="Only requests with this metadata"
          optional
          hint="One name=value a line; all must hold."
        >
          <TextArea
            rows={2}
            value={form.metadata}
            placeholder="project=atlas"
            onChange={({ target }) => onChange({ metadata: target.value })}
          />
        </FormField>
        <AwayField form={form} onChange={onChange} />
      </div>
      {sentence && <p className="rounded-control bg-sunken px-3 py-2 text-ui text-ink-2">{sentence}</p>}
    </>
  );
}

/** How much, in which time, and what happens then. */
function Amount({ form, onChange }: FormPart<BudgetForm>) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <FormField name="limit_usd" label="Limit in USD">
        <Input
          inputMode="decimal"
          value={form.limit_usd}
          placeholder="500"
          onChange={({ target }) => onChange({ limit_usd: target.value })}
        />
      </FormField>
      <FormField name="period" label="Starts anew each">
        <Select
          choices={PERIODS}
          value={form.period}
          onChange={({ target }) => {
            const period = PERIODS.find(({ value }) => value === target.value)?.value;
            if (period) onChange({ period });
          }}
        />
      </FormField>
      <FormField name="mode" label="At the limit">
        <Select
          choices={MODES}
          value={form.mode}
          onChange={({ target }) => onChange({ mode: target.value === 'soft' ? 'soft' : 'hard' })}
        />
      </FormField>
    </div>
  );
}
