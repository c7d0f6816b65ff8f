import type { FormPart } from '../../data/edit.ts';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { Checkbox, Switch } from '../../ui/toggles.tsx';
import { type ChannelForm, type ChannelKindId, ALERT_EVENT_LABELS, CHANNEL_KIND_FORMS, type ChannelKindField } from './channel-form.ts';

/** Everything a channel can be told. @param origin where its secret address begins, of one that is stored */
export function ChannelFields({
  form,
  onChange,
  isNew = false,
  origin = null,
}: FormPart<ChannelForm> & {
  readonly isNew?: boolean;
  readonly origin?: string | null;
}) {
  return (
    <>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="name" label="Name" hint="What monitors call it.">
          <Input
            value={form.name}
            placeholder="ops"
            autoFocus={isNew}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        </FormField>
        <FormField name="kind" label="Kind">
          <Select
            value={form.kind}
            disabled={!isNew}
            choices={Object.entries(CHANNEL_KIND_FORMS).map(([value, { label }]) => ({ value, label }))}
            onChange={({ target }) => onChange({ kind: kindOf(target.value) })}
          />
        </FormField>
      </div>
      {CHANNEL_KIND_FORMS[form.kind].fields.map((field) => (
        <KindInput
          key={field.name}
          field={field}
          stored={!isNew && field.secret}
          origin={origin}
          value={form.values[field.name] ?? ''}
          onChange={(value) => onChange({ values: { ...form.values, [field.name]: value } })}
        />
      ))}
      <EventFields form={form} onChange={onChange} />
    </>
  );
}

/** Which events it hears of, of which monitors, and how often. */
function EventFields({ form, onChange }: FormPart<ChannelForm>) {
  return (
    <>
      <fieldset>
        <legend className="text-label text-ink-2">Is told of</legend>
        <div className="mt-1 grid grid-cols-2 gap-1">
          {ALERT_EVENT_LABELS.map(({ id, label }) => (
            <Checkbox
              key={id}
              label={label}
              checked={form.events.includes(id)}
              onChange={(on) =>
                onChange({ events: on ? [...form.events, id] : form.events.filter((one) => one !== id) })
              }
            />
          ))}
        </div>
      </fieldset>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="tags" label="Only monitors with a tag" optional hint="With commas between them.">
          <Input value={form.tags} onChange={({ target }) => onChange({ tags: target.value })} />
        </FormField>
        <FormField name="realert_minutes" label="Repeat every (minutes)" hint="While it lasts; 0 means once.">
          <Input
            value={form.realert}
            inputMode="numeric"
            onChange={({ target }) => onChange({ realert: target.value })}
          />
        </FormField>
      </div>
      <Switch
        label="On"
        hint="Off: it is told nothing."
        checked={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  );
}

/** What is stored and secret shows where it begins, never more. */
function KindInput({
  field,
  stored,
  origin,
  value,
  onChange,
}: {
  readonly field: ChannelKindField;
  readonly stored: boolean;
  readonly origin: string | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { name, label, optional = false, placeholder, hint } = field;
  const kept = name === 'url' && origin ? `${origin}/…, kept` : 'kept as it is';
  return (
    <FormField
      name={name}
      label={label}
      optional={optional}
      hint={stored ? 'Never shown again. Empty: it stays.' : hint}
    >
      <Input
        value={value}
        placeholder={stored ? kept : placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}

function kindOf(text: string): ChannelKindId {
  for (const kind of Object.keys(CHANNEL_KIND_FORMS)) if (isKind(kind) && kind === text) return kind;
  return 'webhook';
}

function isKind(text: string): text is ChannelKindId {
  return Object.hasOwn(CHANNEL_KIND_FORMS, text);
}
