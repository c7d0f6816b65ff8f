import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Input, Select, TextArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { LimitSubjectFields, OnStoreErrorField } from '../limits/limit-subject-fields.tsx';
import { BUDGET_PERIODS, type BudgetFormValues, describeBudget } from './budget-form.ts';
import { budgetsText } from './text.ts';

const MODES = [
  { value: 'hard', label: budgetsText.fields.modes.hard },
  { value: 'soft', label: budgetsText.fields.modes.soft },
] as const;

/** Renders the fields of the budget form. */
export function BudgetFields({ form, onChange }: FormFieldsProps<BudgetFormValues>) {
  const sentence = describeBudget(form);
  return (
    <>
      <FormField name="name" label={budgetsText.fields.name} hint={budgetsText.fields.nameHint}>
        <Input
          value={form.name}
          placeholder={budgetsText.fields.namePlaceholder}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </FormField>
      <LimitSubjectFields form={form} onChange={onChange} />
      <Amount form={form} onChange={onChange} />
      <p className="text-small text-ink-3">
        {form.mode === 'hard' && `${budgetsText.fields.modeHint} `}
        {budgetsText.fields.alerts}
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField
          name="metadata"
          label={budgetsText.fields.metadata}
          optional
          hint={budgetsText.fields.metadataHint}
        >
          <TextArea
            rows={2}
            value={form.metadata}
            placeholder={budgetsText.fields.metadataPlaceholder}
            onChange={({ target }) => onChange({ metadata: target.value })}
          />
        </FormField>
        <OnStoreErrorField form={form} onChange={onChange} />
      </div>
      {sentence && <p className="rounded-control bg-sunken px-3 py-2 text-ui text-ink-2">{sentence}</p>}
    </>
  );
}

/** The fields for the amount, the period and the action when the limit is reached. */
function Amount({ form, onChange }: FormFieldsProps<BudgetFormValues>) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <FormField name="limit_usd" label={budgetsText.fields.limit}>
        <Input
          inputMode="decimal"
          value={form.limit_usd}
          placeholder={budgetsText.fields.limitPlaceholder}
          onChange={({ target }) => onChange({ limit_usd: target.value })}
        />
      </FormField>
      <FormField name="period" label={budgetsText.fields.period}>
        <Select
          choices={BUDGET_PERIODS}
          value={form.period}
          onChange={({ target }) => {
            const period = BUDGET_PERIODS.find(({ value }) => value === target.value)?.value;
            if (period) onChange({ period });
          }}
        />
      </FormField>
      <FormField name="mode" label={budgetsText.fields.mode}>
        <Select
          choices={MODES}
          value={form.mode}
          onChange={({ target }) => onChange({ mode: target.value === 'soft' ? 'soft' : 'hard' })}
        />
      </FormField>
    </div>
  );
}
