import { useQuery } from '@tanstack/react-query';
import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { Input, TextArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { TimeZoneCombobox } from '../../ui/time-zone-combobox.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { monitorEditorText } from './monitor-editor-text.ts';
import { applyCronInput, type MonitorFormValues } from './monitor-form.ts';
import { channelLookupQuery } from './monitor-references.ts';
import { deriveMonitorId } from './monitor-schedule.ts';

interface FieldsProps extends FormFieldsProps<MonitorFormValues> {
  readonly isNew?: boolean;
}

/** Renders the fields of the monitor form. */
export function MonitorFields(props: FieldsProps) {
  const { form, onChange, isNew = false } = props;
  return (
    <>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="name" label={monitorEditorText.name}>
          <Input
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
            placeholder={monitorEditorText.namePlaceholder}
            autoFocus={isNew}
          />
        </FormField>
        <FormField name="id" label={monitorEditorText.id} hint={monitorEditorText.idHint}>
          <Input
            value={form.id}
            readOnly={!isNew}
            placeholder={deriveMonitorId(form.name) || monitorEditorText.idPlaceholder}
            onChange={({ target }) => onChange({ id: target.value })}
            className="font-mono"
          />
        </FormField>
      </div>
      <ScheduleFields {...props} />
      <GraceFields {...props} />
      <ChannelChoice chosen={form.channels} onChange={(channels) => onChange({ channels })} />
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="tags" label={monitorEditorText.tags} optional hint={monitorEditorText.tagsHint}>
          <Input
            value={form.tags}
            placeholder={monitorEditorText.tagsPlaceholder}
            onChange={({ target }) => onChange({ tags: target.value })}
          />
        </FormField>
        <FormField name="description" label={monitorEditorText.description} optional>
          <TextArea
            rows={2}
            value={form.description}
            placeholder={monitorEditorText.descriptionPlaceholder}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        </FormField>
      </div>
    </>
  );
}

/** The fields for the grace period and for when alerts are sent. */
function GraceFields({ form, onChange }: FieldsProps) {
  return (
    <div className="grid items-start gap-4 md:grid-cols-3">
      <FormField
        name="grace_period_minutes"
        label={monitorEditorText.grace}
        optional
        hint={monitorEditorText.graceHint}
      >
        <Input
          value={form.grace}
          placeholder={monitorEditorText.gracePlaceholder}
          data-shows-default=""
          onChange={({ target }) => onChange({ grace: target.value })}
        />
      </FormField>
      <FormField
        name="alert_after_misses"
        label={monitorEditorText.alertAfter}
        hint={monitorEditorText.alertAfterHint}
      >
        <Input
          value={form.alertAfter}
          inputMode="numeric"
          onChange={({ target }) => onChange({ alertAfter: target.value })}
        />
      </FormField>
      <FormField
        name="first_beat_due_minutes"
        label={monitorEditorText.firstDue}
        optional
        hint={monitorEditorText.firstDueHint}
      >
        <Input
          value={form.firstDue}
          placeholder={monitorEditorText.firstDuePlaceholder[form.kind]}
          data-shows-default=""
          onChange={({ target }) => onChange({ firstDue: target.value })}
        />
      </FormField>
      <Checkbox
        label={monitorEditorText.failIsMiss}
        hint={monitorEditorText.failIsMissHint}
        checked={form.failIsMiss}
        onChange={(failIsMiss) => onChange({ failIsMiss })}
      />
    </div>
  );
}

const KINDS = [
  { id: 'interval', label: monitorEditorText.kindInterval },
  { id: 'cron', label: monitorEditorText.kindCron },
] as const;

function ScheduleFields({ form, onChange }: FieldsProps) {
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-label text-ink-2">{monitorEditorText.scheduleKind}</span>
        <SegmentedControl
          label={monitorEditorText.scheduleKind}
          options={KINDS}
          value={form.kind}
          onChange={(kind) => onChange({ kind: kind === 'cron' ? 'cron' : 'interval' })}
        />
      </div>
      {form.kind === 'interval' ? (
        <div className="max-w-60">
          <FormField
            name="expected_interval_minutes"
            label={monitorEditorText.interval}
            hint={monitorEditorText.intervalHint}
          >
            <Input value={form.interval} onChange={({ target }) => onChange({ interval: target.value })} />
          </FormField>
        </div>
      ) : (
        <div className="grid items-start gap-4 md:grid-cols-2">
          <FormField name="schedule" label={monitorEditorText.cron} hint={monitorEditorText.cronHint}>
            <Input
              value={form.cron}
              className="font-mono"
              onChange={({ target }) => onChange(applyCronInput(form, target.value))}
            />
          </FormField>
          <FormField name="schedule.timezone" label={monitorEditorText.timezone}>
            <TimeZoneCombobox
              none={monitorEditorText.orgTimezone}
              value={form.timezone}
              onChange={(timezone) => onChange({ timezone })}
            />
          </FormField>
        </div>
      )}
    </div>
  );
}

/** Selects the channels that receive alerts. Selecting none means all channels. */
function ChannelChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}) {
  const { data, error } = useQuery(channelLookupQuery);
  const names = [...new Set([...(data?.data.map(({ name }) => name) ?? []), ...chosen])].toSorted();
  return (
    <fieldset>
      <legend className="text-label text-ink-2">{monitorEditorText.channels}</legend>
      {error && !data ? (
        <p className="mt-1 text-small text-failing-ink">{monitorEditorText.channelsFailed(error.message)}</p>
      ) : names.length === 0 ? (
        <p className="mt-1 text-small text-ink-3">{data && monitorEditorText.noChannels}</p>
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
            {chosen.length === 0 && monitorEditorText.allChannels}
          </span>
        </div>
      )}
    </fieldset>
  );
}
