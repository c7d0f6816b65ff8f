import { OrgLink } from '../../app/org-link.tsx';
import type { FormPart } from '../../data/edit.ts';
import { capitalize } from '../../format/words.ts';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { type DrawerParts, ResourceDrawer } from '../../ui/resource-drawer.tsx';
import { EMPTY_LIMIT, LIMITS, type Limit, type LimitForm, limitSentence } from './limit-form.ts';
import { LimitOutlook } from './limit-outlook.tsx';
import { Room, Use } from './limit-use.tsx';
import { subjectText } from './subject.ts';
import { AwayField, SubjectFields } from './subject-fields.tsx';

/** Bars move and seconds run while one looks; looking counts nothing. */
const PEEK_MS = 2000;

/** One limit beside the list, or a new one. */
export function LimitDrawer(props: {
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}) {
  return <ResourceDrawer kind={LIMITS} parts={PARTS} {...props} />;
}

const PARTS: DrawerParts<Limit, LimitForm> = {
  titleOf: (limit) => `${capitalize(subjectText(limit))}, ${limit.model ?? 'all models'}`,
  lineOf: ({ name }) => name,
  standing: (limit, form) => <Standing limit={limit} form={form} />,
  fields: (form, set) => <LimitFields form={form} onChange={set} />,
  empty: EMPTY_LIMIT,
  made: 'The limit holds from now on.',
  refetchMs: PEEK_MS,
};

const WORDS = { rpm: 'Requests a minute', tpm: 'Tokens a minute', concurrency: 'At once' } as const;

function Standing({ limit, form }: { readonly limit: Limit; readonly form: LimitForm }) {
  const bounds = (['rpm', 'tpm', 'concurrency'] as const).filter((bound) => limit[bound] !== null);
  return (
    <section aria-label="Right now" className="grid gap-1.5">
      {bounds.map((bound) => (
        <div key={bound} className="grid grid-cols-[8rem_1fr] items-center gap-x-2 text-ui">
          <span className="text-ink-2">{WORDS[bound]}</span>
          <Use limit={limit} bound={bound} />
        </div>
      ))}
      <Room limit={limit} />
      <OrgLink
        to="/requests"
        search={{ status: '429', range: '24h', ...(limit.key ? { key: limit.key } : {}) }}
        className="text-ui text-accent-ink underlined"
      >
        Requests refused in 24 hours
      </OrgLink>
      <LimitOutlook limit={limit} form={form} />
    </section>
  );
}

function LimitFields({ form, onChange }: FormPart<LimitForm>) {
  const sentence = limitSentence(form);
  const number = (name: 'rpm' | 'tpm' | 'concurrency', label: string) => (
    <FormField name={name} label={label}>
      <Input
        inputMode="numeric"
        value={form[name]}
        placeholder="no bound"
        onChange={({ target }) => onChange({ [name]: target.value })}
      />
    </FormField>
  );
  return (
    <>
      <SubjectFields form={form} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-3">
        {number('rpm', 'Requests a minute')}
        {number('tpm', 'Tokens a minute')}
        {number('concurrency', 'At the same time')}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="name" label="Name" optional hint="Told to whom it refuses.">
          <Input value={form.name} onChange={({ target }) => onChange({ name: target.value })} />
        </FormField>
        <AwayField form={form} onChange={onChange} />
      </div>
      {sentence && <p className="rounded-control bg-sunken px-3 py-2 text-ui text-ink-2">{sentence}</p>}
    </>
  );
}
