import type { FormPart } from '../../data/edit.ts';
import { Input } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { ConditionInput } from './condition-input.tsx';
import { ACTIONS, MODES, PII, type PolicyForm, SIDES } from './policy-form.ts';

/** Everything a policy says. */
export function PolicyFields({ form, onChange }: FormPart<PolicyForm>) {
  return (
    <>
      <FormField name="name" label="Name" hint="Told to whom it refuses, and shown in every decision.">
        <Input
          value={form.name}
          placeholder="cap-output"
          spellCheck={false}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </FormField>
      <RadioGroup label="Reads" options={SIDES} value={form.on} onChange={(on) => onChange({ on })} />
      <FormField
        name="when"
        label="When (CEL)"
        optional
        hint="The rule applies when this is true. Names are offered as you type."
      >
        <ConditionInput value={form.when} on={form.on} onChange={(when) => onChange({ when })} />
      </FormField>
      <Detectors form={form} onChange={onChange} />
      <RadioGroup
        label="Then"
        options={ACTIONS}
        value={form.action}
        onChange={(action) => onChange({ action })}
      />
      <Effect form={form} onChange={onChange} />
    </>
  );
}

/** What the caller is told, and whether the rule acts. */
function Effect({ form, onChange }: FormPart<PolicyForm>) {
  return (
    <>
      {form.action === 'deny' && (
        <FormField
          name="message"
          label="Message"
          optional
          hint="Told to the caller beside the name of the rule."
        >
          <Input value={form.message} onChange={({ target }) => onChange({ message: target.value })} />
        </FormField>
      )}
      <RadioGroup label="Mode" options={MODES} value={form.mode} onChange={(mode) => onChange({ mode })} />
      <Checkbox label="In use" checked={form.enabled} onChange={(enabled) => onChange({ enabled })} />
    </>
  );
}

function Detectors({ form, onChange }: FormPart<PolicyForm>) {
  const toggle = (kind: string, on: boolean) =>
    onChange({ pii: on ? [...form.pii, kind] : form.pii.filter((one) => one !== kind) });
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-label text-ink-2">
        And finds <span className="font-normal text-ink-3">(optional)</span>
      </legend>
      <div className="grid gap-1 sm:grid-cols-2">
        <Checkbox
          label="Keys, tokens and private keys"
          checked={form.secrets}
          onChange={(secrets) => onChange({ secrets })}
        />
        {PII.map(([kind, label]) => (
          <Checkbox
            key={kind}
            label={label}
            checked={form.pii.includes(kind)}
            onChange={(on) => toggle(kind, on)}
          />
        ))}
      </div>
    </fieldset>
  );
}
