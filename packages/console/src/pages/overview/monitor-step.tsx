import type { Monitor } from '@floe/contract/api/monitors';
import { useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { WaitingStatus } from '../connect/first-request.tsx';

const EVERY = [
  { value: '60', label: 'hour', each: 'once an hour' },
  { value: '1440', label: 'day', each: 'once a day' },
  { value: '10080', label: 'week', each: 'once a week' },
] as const;

/** A job that calls when it is done, and a message when it does not. */
export function MonitorStep({ monitors }: { readonly monitors: readonly Monitor[] }) {
  const [made, setMade] = useState<Monitor | null>(null);
  const monitor = monitors.find(({ id }) => id === made?.id) ?? made ?? monitors[0];
  if (!monitor) return <NewMonitor onMade={setMade} />;
  const url = made?.beat_url ?? monitor.beat_url;
  return (
    <>
      <p className="text-ui text-ink-2">
        Let the job run this when it is done. The address is a secret of its own.
      </p>
      {url && <CodeBlock snippets={[{ label: 'Shell', code: `curl -fsS ${url}` }]} />}
      {monitor.last_beat_at === null ? (
        <WaitingStatus>Waiting for the first beat of {monitor.name}…</WaitingStatus>
      ) : (
        <p role="status" className="flex flex-wrap items-center gap-x-2 text-ui">
          <StatusIcon state="healthy" />
          <span>
            Beat of {monitor.name} received <TimeText at={monitor.last_beat_at} />.
          </span>
          <OrgLink to={`/monitors/${encodeURIComponent(monitor.id)}`}>See the monitor</OrgLink>
        </p>
      )}
    </>
  );
}

function NewMonitor({ onMade }: { readonly onMade: (monitor: Monitor) => void }) {
  const [name, setName] = useState('');
  const [every, setEvery] = useState<string>('1440');
  const [grace, setGrace] = useState('30');
  const each = EVERY.find(({ value }) => value === every)?.each ?? '';
  const make = useApiMutation(
    () =>
      sendJson<Monitor>('POST', 'api/monitoring/monitors', {
        name,
        expected_interval_minutes: Number(every),
        grace_period_minutes: Number(grace),
      }),
    { touches: [['guide'], ['monitors']], done: onMade },
  );
  return (
    <Form
      needs="monitoring"
      onSubmit={() => make.run(undefined)}
      error={make.error}
      running={make.running}
      actions={
        <Button type="submit" needs="monitoring" busy={make.running}>
          Watch it
        </Button>
      }
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <FormField name="name" label="Name of the job">
          <Input value={name} placeholder="Nightly backup" onChange={({ target }) => setName(target.value)} />
        </FormField>
        <FormField name="expected_interval_minutes" label="Calls every">
          <Select choices={EVERY} value={every} onChange={({ target }) => setEvery(target.value)} />
        </FormField>
        <FormField name="grace_period_minutes" label="Grace in minutes">
          <Input inputMode="numeric" value={grace} onChange={({ target }) => setGrace(target.value)} />
        </FormField>
      </div>
      <p className="text-ui text-ink-2">
        The job calls {each}. If {grace || 'no'} minutes pass after a missed beat, it is failing.
      </p>
    </Form>
  );
}
