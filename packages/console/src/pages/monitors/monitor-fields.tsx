import { useQuery } from '@tanstack/react-query';
import type { FormPart } from '../../data/edit.ts';
import { Input, TextArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { TimeZoneCombobox } from '../../ui/time-zone-combobox.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { editorText } from './editor-text.ts';
import { channelNamesQuery } from './monitor-data.ts';
import { type MonitorForm, withCronInput } from './monitor-form.ts';
import { monitorIdFromName } from './monitor-schedule.ts';

interface FieldsProps extends FormPart<MonitorForm> {
  readonly isNew?: boolean;
}

/** The fields of a monitor. */
export function MonitorFields(props: FieldsProps) {
  const { form, onChange, isNew = false } = props;
  return (
    <>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="name" label={editorText.name}>
          <Input
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
            placeholder={editorText.namePlaceholder}
            autoFocus={isNew}
          />
        </FormField>
        <FormField name="id" label={editorText.id} hint={editorText.idHint}>
          <Input
            value={form.id}
            readOnly={!isNew}
            placeholder={monitorIdFromName(form.name) || editorText.idPlaceholder}
            onChange={({ target }) => onChange({ id: target.value })}
            className="font-mono"
          />
        </FormField>
      </div>
      <ScheduleFields {...props} />
      <GraceFields {...props} />
      <ChannelChoice chosen={form.channels} onChange={(channels) => onChange({ channels })} />
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="tags" label={editorText.tags} optional hint={editorText.tagsHint}>
          <Input
            value={form.tags}
            placeholder={editorText.tagsPlaceholder}
            onChange={({ target }) => onChange({ tags: target.value })}
          />
        </FormField>
        <FormField name="description" label={editorText.description} optional>
          <TextArea
            rows={2}
            value={form.description}
            placeholder={editorText.descriptionPlaceholder}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        </FormField>
      </div>
    </>
  );
}

/** The grace period, and when alerts are sent. */
function GraceFields({ form, onChange }: FieldsProps) {
  return (
    <div className="grid items-start gap-4 md:grid-cols-3">
      <FormField name="grace_period_minutes" label={editorText.grace} optional hint={editorText.graceHint}>
        <Input
          value={form.grace}
          placeholder={editorText.gracePlaceholder}
          onChange={({ target }) => onChange({ grace: target.value })}
        />
      </FormField>
      <FormField name="alert_after_misses" label={editorText.alertAfter} hint={editorText.alertAfterHint}>
        <Input
          value={form.alertAfter}
          inputMode="numeric"
          onChange={({ target }) => onChange({ alertAfter: target.value })}
        />
      </FormField>
      <FormField
        name="first_beat_due_minutes"
        label={editorText.firstDue}
        optional
        hint={editorText.firstDueHint}
      >
        <Input
          value={form.firstDue}
          placeholder={editorText.firstDuePlaceholder}
          onChange={({ target }) => onChange({ firstDue: target.value })}
        />
      </FormField>
      <Checkbox
        label={editorText.failIsMiss}
        checked={form.failIsMiss}
        onChange={(failIsMiss) => onChange({ failIsMiss })}
      />
    </div>
  );
}

const KINDS = [
  { id: 'interval', label: editorText.kindInterval },
  { id: 'cron', label: editorText.kindCron },
] as const;

function ScheduleFields({ form, onChange }: FieldsProps) {
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-label text-ink-2">{editorText.scheduleKind}</span>
        <SegmentedControl
          label={editorText.scheduleKind}
          options={KINDS}
          value={form.kind}
          onChange={(kind) => onChange({ kind: kind === 'cron' ? 'cron' : 'interval' })}
        />
      </div>
      {form.kind === 'interval' ? (
        <div className="max-w-60">
          <FormField
            name="expected_interval_minutes"
            label={editorText.interval}
            hint={editorText.intervalHint}
          >
            <Input value={form.interval} onChange={({ target }) => onChange({ interval: target.value })} />
          </FormField>
        </div>
      ) : (
        <div className="grid items-start gap-4 md:grid-cols-2">
          <FormField name="schedule" label={editorText.cron} hint={editorText.cronHint}>
            <Input
              value={form.cron}
              className="font-mono"
              onChange={({ target }) => onChange(withCronInput(form, target.value))}
            />
          </FormField>
          <FormField name="schedule.timezone" label={editorText.timezone}>
            <TimeZoneCombobox
              none={editorText.orgTimezone}
              value={form.timezone}
              onChange={(timezone) => onChange({ timezone })}
            />
          </FormField>
        </div>
      )}
    </div>
  );
}

/** The channels that receive alerts; none selected means all channels. */
function ChannelChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}) {
  const { data } = useQuery(channelNamesQuery);
  const names = [...new Set([...(data?.data.map(({ name }) => name) ?? []), ...chosen])].toSorted();
  return (
    <fieldset>
      <legend className="text-label text-ink-2">{editorText.channels}</legend>
      {names.length === 0 ? (
        <p className="mt-1 text-small text-ink-3">{editorText.noChannels}</p>
      ) : (
        <div className="mt-1 flex flex-wrap gap-x-5 gap-y-1">
          {names.map((name) => (
            <Checkbox
              key={name}
              label={name}
              checked={chosen.includes(name)}
              onChange={(on) => onChange(on ? [...chosen, name] : chosen.filter((one) => one !== name))}
            />
          ))}
          <span className="self-center text-small text-ink-3">
            {chosen.length === 0 && editorText.allChannels}
          </span>
        </div>
      )}
    </fieldset>
  );
}
