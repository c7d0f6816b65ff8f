import type { Monitor } from '@floe/contract/api/monitors';
import { useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { WaitingStatus } from '../connect/first-request.tsx';
import { overviewText } from './text.ts';

const INTERVALS = [
  { value: '60', label: overviewText.monitorStep.intervals.hour },
  { value: '1440', label: overviewText.monitorStep.intervals.day },
  { value: '10080', label: overviewText.monitorStep.intervals.week },
] as const;

/** Renders the step of the setup guide that creates a monitor and waits for its first beat. */
export function MonitorStep({ monitors }: { readonly monitors: readonly Monitor[] }) {
  const [created, setCreated] = useState<Monitor | null>(null);
  const monitor = monitors.find(({ id }) => id === created?.id) ?? created ?? monitors[0];
  if (!monitor) return <NewMonitor onCreated={setCreated} />;
  const url = created?.beat_url ?? monitor.beat_url;
  return (
    <>
      <p className="text-ui text-ink-2">{overviewText.monitorStep.intro}</p>
      {url && <CodeBlock snippets={[{ label: overviewText.monitorStep.shell, code: `curl -fsS ${url}` }]} />}
      {monitor.last_beat_at === null ? (
        <WaitingStatus>{overviewText.monitorStep.waiting(monitor.name)}</WaitingStatus>
      ) : (
        <p role="status" className="flex flex-wrap items-center gap-x-2 text-ui">
          <StatusIcon state="healthy" />
          <span>
            {overviewText.monitorStep.received(monitor.name)} <RelativeTimeText at={monitor.last_beat_at} />.
          </span>
          <OrgLink to={`/monitors/${encodeURIComponent(monitor.id)}`}>
            {overviewText.monitorStep.showMonitor}
          </OrgLink>
        </p>
      )}
    </>
  );
}

function NewMonitor({ onCreated }: { readonly onCreated: (monitor: Monitor) => void }) {
  const [name, setName] = useState('');
  const [every, setEvery] = useState<string>('1440');
  const [grace, setGrace] = useState('30');
  const interval = INTERVALS.find(({ value }) => value === every)?.label ?? '';
  const create = useApiMutation(
    (_: undefined, keys) => {
      const body = {
        name,
        expected_interval_minutes: Number(every),
        grace_period_minutes: Number(grace),
      };
      return sendJson<Monitor>('POST', 'api/monitoring/monitors', body, { keys });
    },
    { touches: [['guide'], ['monitors']], done: onCreated },
  );
  return (
    <Form
      needs="monitoring"
      onSubmit={() => create.run(undefined)}
      error={create.error}
      running={create.running}
      actions={
        <Button type="submit" needs="monitoring" busy={create.running}>
          {overviewText.monitorStep.create}
        </Button>
      }
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <FormField name="name" label={overviewText.monitorStep.name}>
          <Input
            value={name}
            placeholder={overviewText.monitorStep.namePlaceholder}
            onChange={({ target }) => setName(target.value)}
          />
        </FormField>
        <FormField name="expected_interval_minutes" label={overviewText.monitorStep.interval}>
          <Select choices={INTERVALS} value={every} onChange={({ target }) => setEvery(target.value)} />
        </FormField>
        <FormField name="grace_period_minutes" label={overviewText.monitorStep.gracePeriod}>
          <Input inputMode="numeric" value={grace} onChange={({ target }) => setGrace(target.value)} />
        </FormField>
      </div>
      <p className="text-ui text-ink-2">{overviewText.monitorStep.help(interval, grace || '0')}</p>
    </Form>
  );
}
