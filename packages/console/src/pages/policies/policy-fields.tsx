import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { ConditionInput } from './condition-input.tsx';
import {
  PERSONAL_DATA_DETECTORS,
  POLICY_ACTIONS,
  POLICY_APPLIES_TO_OPTIONS,
  POLICY_MODES,
  type PolicyFormValues,
} from './policy-form.ts';
import { policiesText } from './text.ts';

/** Renders the fields of the policy form. */
export function PolicyFields({ form, onChange }: FormFieldsProps<PolicyFormValues>) {
  return (
    <>
      <FormField name="name" label={policiesText.fields.name} hint={policiesText.fields.nameHint}>
        <Input
          value={form.name}
          placeholder={policiesText.fields.namePlaceholder}
          spellCheck={false}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </FormField>
      <RadioGroup
        label={policiesText.fields.on}
        options={POLICY_APPLIES_TO_OPTIONS}
        value={form.on}
        onChange={(on) => onChange({ on })}
      />
      <FormField
        name="when"
        label={policiesText.fields.condition}
        optional
        hint={policiesText.fields.conditionHint}
      >
        <ConditionInput value={form.when} on={form.on} onChange={(when) => onChange({ when })} />
      </FormField>
      <Detectors form={form} onChange={onChange} />
      <RadioGroup
        label={policiesText.fields.action}
        options={POLICY_ACTIONS}
        value={form.action}
        onChange={(action) => onChange({ action })}
      />
      <Effect form={form} onChange={onChange} />
    </>
  );
}

/** The fields for the message to the caller, the mode, and whether the policy is enabled. */
function Effect({ form, onChange }: FormFieldsProps<PolicyFormValues>) {
  return (
    <>
      {form.action === 'deny' && (
        <FormField
          name="message"
          label={policiesText.fields.message}
          optional
          hint={policiesText.fields.messageHint}
        >
          <Input value={form.message} onChange={({ target }) => onChange({ message: target.value })} />
        </FormField>
      )}
      <RadioGroup
        label={policiesText.fields.mode}
        options={POLICY_MODES}
        value={form.mode}
        onChange={(mode) => onChange({ mode })}
      />
      <Checkbox
        label={policiesText.fields.enabled}
        checked={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  );
}

function Detectors({ form, onChange }: FormFieldsProps<PolicyFormValues>) {
  const toggle = (kind: string, on: boolean) =>
    onChange({ pii: on ? [...form.pii, kind] : form.pii.filter((one) => one !== kind) });
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-label text-ink-2">
        {policiesText.fields.detectors}{' '}
        <span className="font-normal text-ink-3">{policiesText.fields.optional}</span>
      </legend>
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        <Checkbox
          label={policiesText.fields.secrets}
          checked={form.secrets}
          onChange={(secrets) => onChange({ secrets })}
        />
        {PERSONAL_DATA_DETECTORS.map(([kind, label]) => (
          <Checkbox
            key={kind}
            label={label}
            checked={form.pii.includes(kind)}
            onChange={(on) => toggle(kind, on)}
          />
        ))}
      </div>
      <p className="text-small text-ink-3">{policiesText.fields.detectorsHint}</p>
    </fieldset>
  );
}
