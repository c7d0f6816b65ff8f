import { useQuery } from '@tanstack/react-query';
import type { FormPart } from '../../data/edit.ts';
import { orgKeysQuery } from '../../data/org-lists.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import {
  parseSubjectOption,
  STORE_ERROR_OPTIONS,
  SUBJECT_OPTIONS,
  type SubjectForm,
  subjectNameField,
} from './subject.ts';
import { text } from './text.ts';

/** The fields that choose the subject and the models of a limit or budget. */
export function SubjectFields({ form, onChange }: FormPart<SubjectForm>) {
  const kind = subjectNameField(form.subject);
  const keys = [...new Set((useQuery(orgKeysQuery).data?.data ?? []).map(({ name }) => name))];
  const choices = kind === 'key' ? keys.map((value) => ({ value, label: value })) : [];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="scope" label={text.subject.appliesTo}>
        <Select
          choices={SUBJECT_OPTIONS}
          value={form.subject}
          onChange={({ target }) => onChange({ subject: parseSubjectOption(target.value), who: '' })}
        />
      </FormField>
      {kind && (
        <FormField name={kind} label={text.subject.labels[kind]}>
          <Combobox
            free
            choices={choices}
            value={form.who}
            onChange={(who) => onChange({ who })}
            placeholder={kind === 'key' ? text.subject.keyName : text.subject.name}
          />
        </FormField>
      )}
      <FormField name="model" label={text.subject.models} optional hint={text.subject.modelsHint}>
        <Input
          value={form.model}
          placeholder={text.subject.allModels}
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </FormField>
    </div>
  );
}

/** The field that chooses what happens while the shared store is unavailable. */
export function StoreErrorField({ form, onChange }: FormPart<SubjectForm>) {
  return (
    <FormField name="on_store_error" label={text.storeError.label} hint={text.storeError.hint}>
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
