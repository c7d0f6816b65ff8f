import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { Checkbox, Switch } from '../../ui/toggles.tsx';
import {
  ALERT_EVENT_LABELS,
  CHANNEL_KIND_FORMS,
  type ChannelFormValues,
  type ChannelKindField,
  type ChannelKindId,
  describeStoredSecret,
} from './channel-form.ts';
import { channelsText } from './text.ts';

/**
 * Renders the fields of the channel form.
 * @param origin The origin of the stored URL. The rest of the URL is secret.
 */
export function ChannelFields({
  form,
  onChange,
  isNew = false,
  origin = null,
}: FormFieldsProps<ChannelFormValues> & {
  readonly isNew?: boolean;
  readonly origin?: string | null;
}) {
  return (
    <>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="name" label={channelsText.fields.name} hint={channelsText.fields.nameHint}>
          <Input
            value={form.name}
            placeholder={channelsText.fields.namePlaceholder}
            autoFocus={isNew}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        </FormField>
        <FormField name="kind" label={channelsText.fields.kind}>
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
          removed={form.removedSecrets.includes(field.name)}
          onChange={(value) => onChange({ values: { ...form.values, [field.name]: value } })}
          onRemove={(removed) => {
            const others = form.removedSecrets.filter((name) => name !== field.name);
            onChange({ removedSecrets: removed ? [...others, field.name] : others });
          }}
        />
      ))}
      <EventFields form={form} onChange={onChange} />
    </>
  );
}

/** The fields that determine which alerts the channel receives and how often. */
function EventFields({ form, onChange }: FormFieldsProps<ChannelFormValues>) {
  return (
    <>
      <fieldset>
        <legend className="text-label text-ink-2">{channelsText.fields.events}</legend>
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
        <FormField name="tags" label={channelsText.fields.tags} optional hint={channelsText.fields.tagsHint}>
          <Input value={form.tags} onChange={({ target }) => onChange({ tags: target.value })} />
        </FormField>
        <FormField
          name="realert_minutes"
          label={channelsText.fields.repeat}
          hint={channelsText.fields.repeatHint}
        >
          <Input
            value={form.realert}
            inputMode="numeric"
            onChange={({ target }) => onChange({ realert: target.value })}
          />
        </FormField>
      </div>
      <Switch
        label={channelsText.fields.enabled}
        hint={channelsText.fields.enabledHint}
        checked={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  );
}

/**
 * A field of the channel kind. A stored secret is never shown, except for the origin of a URL. An optional one can be
 * removed.
 */
function KindInput({
  field,
  stored,
  origin,
  value,
  removed,
  onChange,
  onRemove,
}: {
  readonly field: ChannelKindField;
  readonly stored: boolean;
  readonly origin: string | null;
  readonly value: string;
  readonly removed: boolean;
  readonly onChange: (value: string) => void;
  readonly onRemove: (removed: boolean) => void;
}) {
  const { name, label, optional = false, placeholder, hint } = field;
  const shown = stored ? describeStoredSecret(field, origin) : { placeholder, hint };
  return (
    <div className="grid gap-1">
      <FormField name={name} label={label} optional={optional} hint={removed ? undefined : shown.hint}>
        <Input
          value={removed ? '' : value}
          disabled={removed}
          placeholder={removed ? channelsText.fields.removedPlaceholder : shown.placeholder}
          data-shows-default={stored ? '' : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      </FormField>
      {stored && optional && (
        <Checkbox label={channelsText.fields.removeSecret} checked={removed} onChange={onRemove} />
      )}
    </div>
  );
}

function kindOf(text: string): ChannelKindId {
  for (const kind of Object.keys(CHANNEL_KIND_FORMS)) if (isKind(kind) && kind === text) return kind;
  return 'webhook';
}

function isKind(text: string): text is ChannelKindId {
  return Object.hasOwn(CHANNEL_KIND_FORMS, text);
}
