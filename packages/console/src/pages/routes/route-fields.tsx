import { useQuery } from '@tanstack/react-query';
import { modelLookupQuery } from '../../data/lookup-queries.ts';
import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Notice } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import {
  findRouteWarnings,
  parseRouteCacheOption,
  ROUTE_CACHE_OPTIONS,
  ROUTE_STRATEGY_OPTIONS,
  type RouteFormValues,
  TIMEOUT_LABELS,
} from './route-form.ts';
import { TargetListEditor } from './target-list-editor.tsx';
import type { BreakersByModel } from './target-status.tsx';
import { routesText } from './text.ts';

const RESCUES = [
  { id: 'error', ...routesText.rescues.error },
  { id: 'replay', ...routesText.rescues.replay },
] as const;

/** Renders the fields of the route form. */
export function RouteFields({
  form,
  states,
  onChange,
}: FormFieldsProps<RouteFormValues> & { readonly states: BreakersByModel }) {
  return (
    <>
      <FormField name="model" label={routesText.fields.model} hint={routesText.fields.modelHint}>
        <Input
          value={form.model}
          placeholder={routesText.fields.modelPlaceholder}
          spellCheck={false}
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </FormField>
      <RadioGroup
        label={routesText.fields.strategy}
        options={ROUTE_STRATEGY_OPTIONS}
        value={form.strategy}
        onChange={(strategy) => onChange({ strategy })}
      />
      <Targets form={form} states={states} onChange={onChange} />
      <RadioGroup
        label={routesText.fields.rescue}
        options={RESCUES}
        value={form.rescue}
        onChange={(rescue) => onChange({ rescue })}
      />
      <RetriesAndTimeouts form={form} onChange={onChange} />
      <CacheField form={form} onChange={onChange} />
      <Checkbox
        label={routesText.fields.enabled}
        hint={routesText.fields.enabledHint}
        checked={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  );
}

function CacheField({ form, onChange }: FormFieldsProps<RouteFormValues>) {
  return (
    <FormField name="cache" label={routesText.fields.cache} hint={routesText.fields.cacheHint}>
      <Select
        choices={ROUTE_CACHE_OPTIONS}
        value={form.cache}
        onChange={({ target }) => onChange({ cache: parseRouteCacheOption(target.value) })}
      />
    </FormField>
  );
}

function RetriesAndTimeouts({ form, onChange }: FormFieldsProps<RouteFormValues>) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <FormField name="retries" label={routesText.fields.retries}>
        <Input
          inputMode="numeric"
          value={form.retries}
          onChange={({ target }) => onChange({ retries: target.value })}
        />
      </FormField>
      {TIMEOUT_LABELS.map(([name, label]) => (
        <FormField key={name} name={`timeouts.${name}`} label={routesText.fields.seconds(label)}>
          <Input
            inputMode="decimal"
            value={form.timeouts[name]}
            placeholder={routesText.fields.timeoutPlaceholder}
            data-shows-default=""
            onChange={({ target }) => onChange({ timeouts: { ...form.timeouts, [name]: target.value } })}
          />
        </FormField>
      ))}
    </div>
  );
}

function Targets({
  form,
  states,
  onChange,
}: FormFieldsProps<RouteFormValues> & { readonly states: BreakersByModel }) {
  const models = useQuery(modelLookupQuery).data?.data ?? [];
  const unpriced = models.filter(({ kind, prices }) => kind === 'model' && prices === null);
  const warnings = findRouteWarnings(form, new Set(unpriced.map(({ id }) => id)));
  return (
    <div className="grid gap-1.5">
      <span className="text-label text-ink-2">
        {routesText.fields.targets}{' '}
        <span className="font-normal text-ink-3">{routesText.fields.targetsHint}</span>
      </span>
      <TargetListEditor form={form} states={states} onChange={(targets) => onChange({ targets })} />
      {warnings.map((warning) => (
        <Notice key={warning}>{warning}</Notice>
      ))}
    </div>
  );
}
