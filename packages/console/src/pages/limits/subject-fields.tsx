import { useQuery } from '@tanstack/react-query';
import type { FormPart } from '../../data/edit.ts';
import { orgKeysQuery } from '../../data/org-lists.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { AWAY_CHOICES, namedKind, SUBJECT_CHOICES, type SubjectForm, subjectChoice } from './subject.ts';

const LABELS = { team: 'Team', key: 'Key', owner: 'Owner', end_user: 'End user' } as const;

/** Whom a limit or budget is about, and for which models. */
export function SubjectFields({ form, onChange }: FormPart<SubjectForm>) {
  const kind = namedKind(form.subject);
  const keys = [...new Set((useQuery(orgKeysQuery).data?.data ?? []).map(({ name }) => name))];
  const choices = kind === 'key' ? keys.map((value) => ({ value, label: value })) : [];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="scope" label="Applies to">
        <Select
          choices={SUBJECT_CHOICES}
          value={form.subject}
          onChange={({ target }) => onChange({ subject: subjectChoice(target.value), who: '' })}
        />
      </FormField>
      {kind && (
        <FormField name={kind} label={LABELS[kind]}>
          <Combobox
            free
            choices={choices}
            value={form.who}
            onChange={(who) => onChange({ who })}
            placeholder={kind === 'key' ? 'Name of the key' : 'Name'}
          />
        </FormField>
      )}
      <FormField name="model" label="Models" optional hint="A model id or a pattern such as openai/*.">
        <Input
          value={form.model}
          placeholder="all"
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </FormField>
    </div>
  );
}

/** What happens while the shared store is away. */
export function AwayField({ form, onChange }: FormPart<SubjectForm>) {
  return (
    <FormField name="on_store_error" label="While the shared store is away">
      <Select
        choices={AWAY_CHOICES}
        value={form.on_store_error}
        onChange={({ target }) => {
          const on_store_error = AWAY_CHOICES.find(({ value }) => value === target.value)?.value;
          if (on_store_error) onChange({ on_store_error });
        }}
      />
    </FormField>
  );
}
