import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { useState } from 'react';
import { type IdempotencyKeys, sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { Badge } from '../../ui/status.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { TimeZoneCombobox } from '../../ui/time-zone-combobox.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { MonitorCombobox, useMonitorNames } from '../monitors/monitor-combobox.tsx';
import { describeCron } from '../monitors/monitor-schedule.ts';
import {
  createMaintenanceWindowFormValues,
  type MaintenanceWindowFormValues,
  toMaintenanceWindowBody,
  toMaintenanceWindowFormValues,
  toMaintenanceWindowPatch,
  validateMaintenanceWindowForm,
} from './maintenance-window-form.ts';
import { maintenanceText } from './text.ts';

/** Renders a dialog that creates or edits a maintenance window. */
export function MaintenanceWindowDialog({
  window,
  planned = [],
  onClose,
}: {
  readonly window: MaintenanceWindow | null;
  /** IDs of the monitors that are preselected in a new window. */
  readonly planned?: readonly string[];
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(() =>
    window
      ? toMaintenanceWindowFormValues(window, getBrowserTimeZone())
      : { ...createMaintenanceWindowFormValues(getCurrentTime(), getBrowserTimeZone()), monitors: planned },
  );
  const [opened] = useState(window);
  const [tried, setTried] = useState(false);
  const save = useApiMutation((_: undefined, keys) => saveWindow(opened, form, keys), {
    touches: [['maintenance']],
    done: onClose,
  });
  const problems = tried ? validateMaintenanceWindowForm(form) : {};
  const submit = () => {
    setTried(true);
    if (Object.keys(validateMaintenanceWindowForm(form)).length === 0) save.run(undefined);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={window ? maintenanceText.dialog.editTitle(window.name) : maintenanceText.dialog.newTitle}
      description={maintenanceText.dialog.description}
      wide
    >
      <Form
        needs="monitoring"
        onSubmit={submit}
        error={save.error}
        running={save.running}
        actions={
          <>
            <Button onClick={onClose}>{maintenanceText.dialog.cancel}</Button>
            <Button type="submit" look="primary" needs="monitoring" busy={save.running}>
              {window ? maintenanceText.dialog.save : maintenanceText.dialog.create}
            </Button>
          </>
        }
      >
        <WindowFields form={form} problems={problems} onChange={setForm} />
      </Form>
    </Dialog>
  );
}

/** Changes the window as it was when the dialog opened, or creates one if `window` is null. */
function saveWindow(
  window: MaintenanceWindow | null,
  form: MaintenanceWindowFormValues,
  keys: IdempotencyKeys,
): Promise<MaintenanceWindow> {
  const path = 'api/monitoring/maintenance';
  return window
    ? sendJson('PATCH', `${path}/${encodeURIComponent(window.id)}`, toMaintenanceWindowPatch(form, window))
    : sendJson('POST', path, withoutNulls(toMaintenanceWindowBody(form, null)), { keys });
}

/** Removes null values. Null clears a field and is valid only in an update. */
function withoutNulls(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const KINDS = [
  { id: 'once', label: maintenanceText.dialog.once },
  { id: 'repeats', label: maintenanceText.dialog.repeats },
] as const;

interface FieldsProps {
  readonly form: MaintenanceWindowFormValues;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (form: MaintenanceWindowFormValues) => void;
}

function WindowFields({ form, problems, onChange }: FieldsProps) {
  const set = (part: Partial<MaintenanceWindowFormValues>) => onChange({ ...form, ...part });
  return (
    <>
      <FormField name="name" label={maintenanceText.dialog.name} problem={problems['name'] ?? null}>
        <Input
          value={form.name}
          placeholder={maintenanceText.dialog.namePlaceholder}
          autoFocus
          onChange={({ target }) => set({ name: target.value })}
        />
      </FormField>
      <div>
        <SegmentedControl
          label={maintenanceText.dialog.recurrence}
          options={KINDS}
          value={form.kind}
          onChange={(kind) => set({ kind: kind === 'repeats' ? 'repeats' : 'once' })}
        />
      </div>
      <TimeFields form={form} problems={problems} onChange={onChange} />
      <MonitorChoice chosen={form.monitors} onChange={(monitors) => set({ monitors })} />
      <FormField
        name="tags"
        label={maintenanceText.dialog.tags}
        optional
        hint={maintenanceText.dialog.tagsHint}
      >
        <Input
          value={form.tags}
          placeholder={maintenanceText.dialog.tagsPlaceholder}
          onChange={({ target }) => set({ tags: target.value })}
        />
      </FormField>
      {form.monitors.length === 0 && form.tags.trim() === '' && (
        <p className="text-small text-ink-2">{maintenanceText.dialog.allMonitors}</p>
      )}
      <Switch
        label={maintenanceText.dialog.onBoards}
        checked={form.onBoards}
        onChange={(onBoards) => set({ onBoards })}
      />
    </>
  );
}

/** The fields for the start and the duration of the window. */
function TimeFields({ form, problems, onChange }: FieldsProps) {
  const set = (part: Partial<MaintenanceWindowFormValues>) => onChange({ ...form, ...part });
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      {form.kind === 'once' ? (
        <FormField
          name="starts_at"
          label={maintenanceText.dialog.start(getBrowserTimeZone())}
          problem={problems['starts_at'] ?? null}
        >
          <Input
            type="datetime-local"
            value={form.start}
            onChange={({ target }) => set({ start: target.value })}
          />
        </FormField>
      ) : (
        <FormField name="schedule" label={maintenanceText.dialog.schedule} hint={describeCron(form.cron)}>
          <Input
            value={form.cron}
            className="font-mono"
            onChange={({ target }) => set({ cron: target.value })}
          />
        </FormField>
      )}
      <FormField
        name="duration_minutes"
        label={maintenanceText.dialog.duration}
        problem={problems['duration_minutes'] ?? null}
      >
        <Input value={form.length} onChange={({ target }) => set({ length: target.value })} />
      </FormField>
      {form.kind === 'repeats' && (
        <FormField name="schedule.timezone" label={maintenanceText.dialog.timezone}>
          <TimeZoneCombobox
            none={maintenanceText.dialog.orgTimezone}
            value={form.timezone}
            onChange={(timezone) => set({ timezone })}
          />
        </FormField>
      )}
    </div>
  );
}

/** Adds monitors by name. Selected monitors are listed below with remove buttons. */
function MonitorChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const nameOf = useMonitorNames(chosen);
  return (
    <div className="grid gap-1.5">
      <FormField name="monitors" label={maintenanceText.dialog.monitors} optional>
        <MonitorCombobox
          chosen={chosen}
          placeholder={maintenanceText.dialog.addMonitor}
          onAdd={(id) => onChange([...chosen, id])}
        />
      </FormField>
      {chosen.length > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {chosen.map((id) => (
            <Badge key={id}>
              <span className="truncate">{nameOf(id)}</span>
              <button
                type="button"
                aria-label={maintenanceText.dialog.removeMonitor(nameOf(id))}
                onClick={() => onChange(chosen.filter((one) => one !== id))}
                className="-mr-1 grid size-6 place-items-center hover:text-failing-ink"
              >
                ×
              </button>
            </Badge>
          ))}
        </div>
      )}
    </div>
  );
}
