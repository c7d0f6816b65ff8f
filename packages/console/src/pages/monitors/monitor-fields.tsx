import { useQuery } from '@tanstack/react-query';
import type { FormPart } from '../../data/edit.ts';
import { Input, TextArea } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { TimeZoneCombobox } from '../../ui/time-zone-combobox.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { channelNamesQuery } from './monitor-data.ts';
import { type MonitorForm, withCronInput } from './monitor-form.ts';
import { monitorIdFromName } from './monitor-schedule.ts';

interface FieldsProps extends FormPart<MonitorForm> {
  readonly isNew?: boolean;
}

/** Everything a monitor can be told. */
export function MonitorFields(props: FieldsProps) {
  const { form, onChange, isNew = false } = props;
  return (
    <>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="name" label="Name">
          <Input
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
            placeholder="Invoice export"
            autoFocus={isNew}
          />
        </FormField>
        <FormField name="id" label="Id" hint="What jobs send as monitor_id. It never changes.">
          <Input
            value={form.id}
            readOnly={!isNew}
            placeholder={monitorIdFromName(form.name) || 'made from the name'}
            onChange={({ target }) => onChange({ id: target.value })}
            className="font-mono"
          />
        </FormField>
      </div>
      <ScheduleFields {...props} />
      <GraceFields {...props} />
      <ChannelChoice chosen={form.channels} onChange={(channels) => onChange({ channels })} />
      <div className="grid items-start gap-4 md:grid-cols-2">
        <FormField name="tags" label="Tags" optional hint="With commas between them.">
          <Input
            value={form.tags}
            placeholder="db, critical"
            onChange={({ target }) => onChange({ tags: target.value })}
          />
        </FormField>
        <FormField name="description" label="Description" optional>
          <TextArea
            rows={2}
            value={form.description}
            placeholder="For whoever is woken up: what to look at first"
            onChange={({ target }) => onChange({ description: target.value })}
          />
        </FormField>
      </div>
    </>
  );
}

/** How late is fine, and when somebody is told. */
function GraceFields({ form, onChange }: FieldsProps) {
  return (
    <div className="grid items-start gap-4 md:grid-cols-3">
      <FormField
        name="grace_period_minutes"
        label="Grace"
        optional
        hint="Late, and still fine. Empty: the org’s."
      >
        <Input
          value={form.grace}
          placeholder="5 min"
          onChange={({ target }) => onChange({ grace: target.value })}
        />
      </FormField>
      <FormField name="alert_after_misses" label="Alert after misses">
        <Input
          value={form.alertAfter}
          inputMode="numeric"
          onChange={({ target }) => onChange({ alertAfter: target.value })}
        />
      </FormField>
      <FormField
        name="first_beat_due_minutes"
        label="First beat due"
        optional
        hint="Reported when nothing came by then."
      >
        <Input
          value={form.firstDue}
          placeholder="after interval and grace"
          onChange={({ target }) => onChange({ firstDue: target.value })}
        />
      </FormField>
      <Checkbox
        label="Count a reported failure as a miss"
        checked={form.failIsMiss}
        onChange={(failIsMiss) => onChange({ failIsMiss })}
      />
    </div>
  );
}

const KINDS = [
  { id: 'interval', label: 'Every…' },
  { id: 'cron', label: 'On a schedule (cron)' },
] as const;

function ScheduleFields({ form, onChange }: FieldsProps) {
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-label text-ink-2">Expect a beat</span>
        <SegmentedControl
          label="Expect a beat"
          options={KINDS}
          value={form.kind}
          onChange={(kind) => onChange({ kind: kind === 'cron' ? 'cron' : 'interval' })}
        />
      </div>
      {form.kind === 'interval' ? (
        <div className="max-w-60">
          <FormField name="expected_interval_minutes" label="Interval" hint="90m, 1.5 h or 1d">
            <Input value={form.interval} onChange={({ target }) => onChange({ interval: target.value })} />
          </FormField>
        </div>
      ) : (
        <div className="grid items-start gap-4 md:grid-cols-2">
          <FormField
            name="schedule"
            label="Cron expression"
            hint="Five fields. A pasted line of a crontab is taken apart."
          >
            <Input
              value={form.cron}
              className="font-mono"
              onChange={({ target }) => onChange(withCronInput(form, target.value))}
            />
          </FormField>
          <FormField name="schedule.timezone" label="Time zone">
            <TimeZoneCombobox
              none="That of the org"
              value={form.timezone}
              onChange={(timezone) => onChange({ timezone })}
            />
          </FormField>
        </div>
      )}
    </div>
  );
}

/** Which channels are told; none chosen means every one. */
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
      <legend className="text-label text-ink-2">Channels</legend>
      {names.length === 0 ? (
        <p className="mt-1 text-small text-ink-3">There is no channel yet: nobody is told.</p>
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
            {chosen.length === 0 && 'None chosen: every channel is told.'}
          </span>
        </div>
      )}
    </fieldset>
  );
}
