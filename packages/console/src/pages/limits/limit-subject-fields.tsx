import type { orgOverview } from '@floe/contract/api/overview';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from '../../data/api-client.ts';
import { keyLookupQuery } from '../../data/lookup-queries.ts';
import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import {
  getLimitSubjectNameField,
  LIMIT_SUBJECT_OPTIONS,
  type LimitSubjectFormValues,
  parseLimitSubjectOption,
  STORE_ERROR_OPTIONS,
} from './limit-subject.ts';
import { limitsText } from './text.ts';

/** Renders the fields that select the subject and the models of a limit or budget. */
export function LimitSubjectFields({ form, onChange }: FormFieldsProps<LimitSubjectFormValues>) {
  const kind = getLimitSubjectNameField(form.subject);
  const keys = [...new Set((useQuery(keyLookupQuery).data?.data ?? []).map(({ name }) => name))];
  const choices = kind === 'key' ? keys.map((value) => ({ value, label: value })) : [];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="scope" label={limitsText.subject.appliesTo}>
        <Select
          choices={LIMIT_SUBJECT_OPTIONS}
          value={form.subject}
          onChange={({ target }) =>
            onChange({ subject: parseLimitSubjectOption(target.value), subjectName: '' })
          }
        />
      </FormField>
      {kind && (
        <FormField name={kind} label={limitsText.subject.labels[kind]}>
          <Combobox
            free
            choices={choices}
            value={form.subjectName}
            onChange={(subjectName) => onChange({ subjectName })}
            placeholder={kind === 'key' ? limitsText.subject.keyName : limitsText.subject.name}
          />
        </FormField>
      )}
      <FormField name="model" label={limitsText.subject.models} optional hint={limitsText.subject.modelsHint}>
        <Input
          value={form.model}
          placeholder={limitsText.subject.allModels}
          data-shows-default=""
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </FormField>
    </div>
  );
}

const sharedStoreQuery = queryOptions({
  queryKey: ['overview', 'shared-store'],
  queryFn: async ({ signal }) => {
    const { stores } = await getJson<z.output<typeof orgOverview>>('api/overview', undefined, signal);
    return stores.shared;
  },
  staleTime: 60_000,
});

/**
 * Renders the field that selects what happens while the shared store is unavailable. Hidden if no shared
 * store is configured and the value is the default.
 */
export function OnStoreErrorField({ form, onChange }: FormFieldsProps<LimitSubjectFormValues>) {
  const { data, isPending } = useQuery(sharedStoreQuery);
  if (form.on_store_error === 'local' && (isPending || data === 'memory')) return null;
  return (
    <FormField name="on_store_error" label={limitsText.storeError.label} hint={limitsText.storeError.hint}>
      <Select
        choices={STORE_ERROR_OPTIONS}
        value={form.on_store_error}
        onChange={({ target }) => {
          const on_store_error = STORE_ERROR_OPTIONS.find(({ value }) => value === target.value)?.value;
          if (on_store_error) onChange({ on_store_error });
        }}
      />
    </FormField>
  );
}
