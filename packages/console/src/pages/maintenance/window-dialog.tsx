import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { browserZone } from '../../format/times.ts';
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
  newWindowForm,
  validateWindowForm,
  type WindowForm,
  windowBody,
  windowFormOf,
} from './window-form.ts';

/** Plans a window, or changes one. */
export function WindowDialog({
  window,
  planned = [],
  onClose,
}: {
  readonly window: MaintenanceWindow | null;
  /** Monitors that a new window is for, before anybody chose. */
  readonly planned?: readonly string[];
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(() =>
    window
      ? windowFormOf(window, browserZone())
      : { ...newWindowForm(new Date(), browserZone()), monitors: planned },
  );
  const [tried, setTried] = useState(false);
  const save = useApiMutation(
    () =>
      window
        ? sendJson<MaintenanceWindow>(
            'PATCH',
            `api/monitoring/maintenance/${encodeURIComponent(window.id)}`,
            windowBody(form),
          )
        : sendJson<MaintenanceWindow>('POST', 'api/monitoring/maintenance', withoutNulls(windowBody(form))),
    { touches: [['maintenance']], done: onClose },
  );
  const problems = tried ? validateWindowForm(form) : {};
  const submit = () => {
    setTried(true);
    if (Object.keys(validateWindowForm(form)).length === 0) save.run(undefined);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={window ? `Change ${window.name}` : 'Plan a window'}
      description="Beats and misses are recorded as ever; only messages are held back."
      wide
    >
      <Form
        needs="monitoring"
        onSubmit={submit}
        error={save.error}
        running={save.running}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" needs="monitoring" busy={save.running}>
              {window ? 'Save window' : 'Plan window'}
            </Button>
          </>
        }
      >
        <WindowFields form={form} problems={problems} onChange={setForm} />
      </Form>
    </Dialog>
  );
}

/** A creation has nothing to clear. */
function withoutNulls(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const KINDS = [
  { id: 'once', label: 'Once' },
  { id: 'repeats', label: 'Repeats' },
] as const;

interface FieldsProps {
  readonly form: WindowForm;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (form: WindowForm) => void;
}

function WindowFields({ form, problems, onChange }: FieldsProps) {
  const set = (part: Partial<WindowForm>) => onChange({ ...form, ...part });
  return (
    <>
      <FormField name="name" label="Name" problem={problems['name'] ?? null}>
        <Input
          value={form.name}
          placeholder="Database move"
          autoFocus
          onChange={({ target }) => set({ name: target.value })}
        />
      </FormField>
      <div>
        <SegmentedControl
          label="How often"
          options={KINDS}
          value={form.kind}
          onChange={(kind) => set({ kind: kind === 'repeats' ? 'repeats' : 'once' })}
        />
      </div>
      <TimeFields form={form} problems={problems} onChange={onChange} />
      <MonitorChoice chosen={form.monitors} onChange={(monitors) => set({ monitors })} />
      <FormField name="tags" label="Monitors with a tag" optional hint="With commas between them.">
        <Input value={form.tags} placeholder="db" onChange={({ target }) => set({ tags: target.value })} />
      </FormField>
      {form.monitors.length === 0 && form.tags.trim() === '' && (
        <p className="text-small text-ink-2">Without monitors and tags it is about every monitor.</p>
      )}
      <Switch
        label="Announced on public boards"
        checked={form.onBoards}
        onChange={(onBoards) => set({ onBoards })}
      />
    </>
  );
}

/** When it is open, and for how long. */
function TimeFields({ form, problems, onChange }: FieldsProps) {
  const set = (part: Partial<WindowForm>) => onChange({ ...form, ...part });
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      {form.kind === 'once' ? (
        <FormField
          name="starts_at"
          label={`Starts (${browserZone()})`}
          problem={problems['starts_at'] ?? null}
        >
          <Input
            type="datetime-local"
            value={form.start}
            onChange={({ target }) => set({ start: target.value })}
          />
        </FormField>
      ) : (
        <FormField name="schedule" label="Starts on a schedule (cron)" hint={describeCron(form.cron)}>
          <Input
            value={form.cron}
            className="font-mono"
            onChange={({ target }) => set({ cron: target.value })}
          />
        </FormField>
      )}
      <FormField name="duration_minutes" label="Lasts" problem={problems['duration_minutes'] ?? null}>
        <Input value={form.length} onChange={({ target }) => set({ length: target.value })} />
      </FormField>
      {form.kind === 'repeats' && (
        <FormField name="schedule.timezone" label="Time zone">
          <TimeZoneCombobox
            none="That of the org"
            value={form.timezone}
            onChange={(timezone) => set({ timezone })}
          />
        </FormField>
      )}
    </div>
  );
}

/** Monitors by name; what is chosen stands below and can be taken away. */
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
      <FormField name="monitors" label="Monitors" optional>
        <MonitorCombobox
          chosen={chosen}
          placeholder="Add a monitor"
          onAdd={(id) => onChange([...chosen, id])}
        />
      </FormField>
      {chosen.length > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {chosen.map((id) => (
            <Badge key={id}>
              {nameOf(id)}
              <button
                type="button"
                aria-label={`Remove ${nameOf(id)}`}
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
