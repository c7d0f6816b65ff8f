import type { FormPart } from '../../data/edit.ts';
import { Notice } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import {
  CACHE_CHOICES,
  cacheChoice,
  type RouteForm,
  routeWarnings,
  STRATEGIES,
  TIMEOUT_LABELS,
} from './route-form.ts';
import { TargetList } from './target-list.tsx';
import type { TargetStates } from './target-states.tsx';

const RESCUES = [
  { id: 'error', label: 'End with an error', does: 'The client hears that the stream broke.' },
  {
    id: 'replay',
    label: 'Continue elsewhere',
    does: 'The next target answers again; what the client has already is swallowed.',
  },
] as const;

/** Everything a route says. */
export function RouteFields({
  form,
  states,
  onChange,
}: FormPart<RouteForm> & { readonly states: TargetStates }) {
  return (
    <>
      <FormField
        name="model"
        label="Model or alias"
        hint="What callers ask for: a model id, a pattern such as openai/*, or a name of your own."
      >
        <Input
          value={form.model}
          placeholder="smart"
          spellCheck={false}
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </FormField>
      <RadioGroup
        label="Strategy"
        options={STRATEGIES}
        value={form.strategy}
        onChange={(strategy) => onChange({ strategy })}
      />
      <Targets form={form} states={states} onChange={onChange} />
      <RadioGroup
        label="If a stream breaks after content"
        options={RESCUES}
        value={form.rescue}
        onChange={(rescue) => onChange({ rescue })}
      />
      <Bounds form={form} onChange={onChange} />
      <CacheField form={form} onChange={onChange} />
      <Checkbox
        label="In use"
        hint="Off: requests are matched against the next route."
        checked={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  );
}

function CacheField({ form, onChange }: FormPart<RouteForm>) {
  return (
    <FormField
      name="cache"
      label="Answer cache"
      hint="Whether equal requests are answered from earlier answers."
    >
      <Select
        choices={CACHE_CHOICES}
        value={form.cache}
        onChange={({ target }) => onChange({ cache: cacheChoice(target.value) })}
      />
    </FormField>
  );
}

function Bounds({ form, onChange }: FormPart<RouteForm>) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <FormField name="retries" label="Retries per target">
        <Input
          inputMode="numeric"
          value={form.retries}
          onChange={({ target }) => onChange({ retries: target.value })}
        />
      </FormField>
      {TIMEOUT_LABELS.map(([name, label]) => (
        <FormField key={name} name={`timeouts.${name}`} label={`${label} (s)`}>
          <Input
            inputMode="decimal"
            value={form.timeouts[name]}
            placeholder="as the provider"
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
        Targets <span className="font-normal text-ink-3">drag, or Alt+↑↓ on a handle</span>
      </span>
      <TargetList form={form} states={states} onChange={(targets) => onChange({ targets })} />
      {warnings.map((warning) => (
        <Notice key={warning}>{warning}</Notice>
      ))}
    </div>
  );
}
