import type { FormPart } from '../../data/edit.ts';
import { Notice } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import {
  parseRouteCacheOption,
  ROUTE_CACHE_OPTIONS,
  type RouteForm,
  routeWarnings,
  STRATEGIES,
  TIMEOUT_LABELS,
} from './route-form.ts';
import { TargetList } from './target-list.tsx';
import type { TargetStates } from './target-status.tsx';
import { text } from './text.ts';

const RESCUES = [
  { id: 'error', ...text.rescues.error },
  { id: 'replay', ...text.rescues.replay },
] as const;

/** The form fields of a route. */
export function RouteFields({
  form,
  states,
  onChange,
}: FormPart<RouteForm> & { readonly states: TargetStates }) {
  return (
    <>
      <FormField name="model" label={text.fields.model} hint={text.fields.modelHint}>
        <Input
          value={form.model}
          placeholder={text.fields.modelPlaceholder}
          spellCheck={false}
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </FormField>
      <RadioGroup
        label={text.fields.strategy}
        options={STRATEGIES}
        value={form.strategy}
        onChange={(strategy) => onChange({ strategy })}
      />
      <Targets form={form} states={states} onChange={onChange} />
      <RadioGroup
        label={text.fields.rescue}
        options={RESCUES}
        value={form.rescue}
        onChange={(rescue) => onChange({ rescue })}
      />
      <RetriesAndTimeouts form={form} onChange={onChange} />
      <CacheField form={form} onChange={onChange} />
      <Checkbox
        label={text.fields.enabled}
        hint={text.fields.enabledHint}
        checked={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  );
}

function CacheField({ form, onChange }: FormPart<RouteForm>) {
  return (
    <FormField name="cache" label={text.fields.cache} hint={text.fields.cacheHint}>
      <Select
        choices={ROUTE_CACHE_OPTIONS}
        value={form.cache}
        onChange={({ target }) => onChange({ cache: parseRouteCacheOption(target.value) })}
      />
    </FormField>
  );
}

function RetriesAndTimeouts({ form, onChange }: FormPart<RouteForm>) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <FormField name="retries" label={text.fields.retries}>
        <Input
          inputMode="numeric"
          value={form.retries}
          onChange={({ target }) => onChange({ retries: target.value })}
        />
      </FormField>
      {TIMEOUT_LABELS.map(([name, label]) => (
        <FormField key={name} name={`timeouts.${name}`} label={text.fields.seconds(label)}>
          <Input
            inputMode="decimal"
            value={form.timeouts[name]}
            placeholder={text.fields.timeoutPlaceholder}
            onChange={({ target }) => onChange({ timeouts: { ...form.timeouts, [name]: target.value } })}
          />
        </FormField>
      ))}
    </div>
  );
}

function Targets({ form, states, onChange }: FormPart<RouteForm> & { readonly states: TargetStates }) {
  const warnings = routeWarnings(form);
  return (
    <div className="grid gap-1.5">
      <span className="text-label text-ink-2">
        {text.fields.targets} <span className="font-normal text-ink-3">{text.fields.targetsHint}</span>
      </span>
      <TargetList form={form} states={states} onChange={(targets) => onChange({ targets })} />
      {warnings.map((warning) => (
        <Notice key={warning}>{warning}</Notice>
      ))}
    </div>
  );
}
