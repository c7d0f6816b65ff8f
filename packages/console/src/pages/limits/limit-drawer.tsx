import { OrgLink } from '../../app/org-link.tsx';
import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { toExactFilterValue } from '../../filters/filter-value.ts';
import { capitalize } from '../../format/words.ts';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { ResourceDrawer, type ResourceDrawerConfig } from '../../ui/resource-drawer.tsx';
import {
  describeLimit,
  LIMIT_RESOURCE_KIND,
  type Limit,
  type LimitFormValues,
  NEW_LIMIT_FORM,
} from './limit-form.ts';
import { LimitPreview } from './limit-preview.tsx';
import { describeLimitSubject } from './limit-subject.ts';
import { LimitSubjectFields, OnStoreErrorField } from './limit-subject-fields.tsx';
import { LimitReachedNotice, LimitUsage } from './limit-usage.tsx';
import { limitsText } from './text.ts';

/** Interval in milliseconds at which the usage is refetched. Reading usage counts against no limit. */
const REFETCH_MS = 2000;

/** Renders the drawer that creates or edits a limit, next to the list. */
export function LimitDrawer(props: {
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}) {
  return <ResourceDrawer kind={LIMIT_RESOURCE_KIND} parts={PARTS} {...props} />;
}

const PARTS: ResourceDrawerConfig<Limit, LimitFormValues> = {
  titleOf: (limit) =>
    limitsText.drawer.title(
      capitalize(describeLimitSubject(limit)),
      limit.model ?? limitsText.page.allModels,
    ),
  lineOf: ({ name }) => name,
  standing: (limit, form) => <CurrentUsage limit={limit} form={form} />,
  fields: (form, set) => <LimitFields form={form} onChange={set} />,
  empty: NEW_LIMIT_FORM,
  created: (limit) => limitsText.drawer.created(describeLimitSubject(limit)),
  saved: (limit) => limitsText.drawer.saved(describeLimitSubject(limit)),
  refetchMs: REFETCH_MS,
};

function CurrentUsage({ limit, form }: { readonly limit: Limit; readonly form: LimitFormValues }) {
  const bounds = (['rpm', 'tpm', 'concurrency'] as const).filter((bound) => limit[bound] !== null);
  return (
    <section aria-label={limitsText.drawer.usage} className="grid gap-1.5">
      {bounds.map((bound) => (
        <div key={bound} className="grid grid-cols-[9.5rem_1fr] items-center gap-x-2 text-ui">
          <span className="text-ink-2">{limitsText.bounds[bound]}</span>
          <LimitUsage limit={limit} bound={bound} />
        </div>
      ))}
      <LimitReachedNotice limit={limit} />
      <OrgLink
        to="/requests"
        search={{ status: '429', range: '24h', ...(limit.key ? { key: toExactFilterValue(limit.key) } : {}) }}
        className="text-ui text-accent-ink underlined"
      >
        {limitsText.drawer.rejectedRequests}
      </OrgLink>
      <LimitPreview limit={limit} form={form} />
    </section>
  );
}

function LimitFields({ form, onChange }: FormFieldsProps<LimitFormValues>) {
  const sentence = describeLimit(form);
  const number = (name: 'rpm' | 'tpm' | 'concurrency') => (
    <FormField name={name} label={limitsText.bounds[name]}>
      <Input
        inputMode="numeric"
        value={form[name]}
        placeholder={limitsText.fields.noBound}
        data-shows-default=""
        onChange={({ target }) => onChange({ [name]: target.value })}
      />
    </FormField>
  );
  return (
    <>
      <LimitSubjectFields form={form} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-3">
        {number('rpm')}
        {number('tpm')}
        {number('concurrency')}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="name" label={limitsText.fields.name} optional hint={limitsText.fields.nameHint}>
          <Input value={form.name} onChange={({ target }) => onChange({ name: target.value })} />
        </FormField>
        <OnStoreErrorField form={form} onChange={onChange} />
      </div>
      {sentence && <p className="rounded-control bg-sunken px-3 py-2 text-ui text-ink-2">{sentence}</p>}
    </>
  );
}
