import type { Monitor } from '@floe/contract/api/monitors';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useOrgId, usePathParam } from '../../app/url-state.ts';
import { getTagged, send } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { browserZone, day, shortTime } from '../../format/moments.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { SourceNotice } from '../../ui/source-badge.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { tell } from '../../ui/toast.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { movedDeadline } from './deadline.ts';
import { createMonitor, forgetLists, monitorPath, monitorQuery, putRows } from './monitor-data.ts';
import { MonitorFields } from './monitor-fields.tsx';
import {
  changesBetween,
  emptyForm,
  formOf,
  type MonitorForm,
  monitorBody,
  problemsOf,
} from './monitor-form.ts';
import { idOf } from './monitor-words.ts';
import { SchedulePreview } from './schedule-preview.tsx';

const MONITORS = { label: 'Monitors', to: '/monitors' };

/** A monitor that is not there yet. */
export function NewMonitorPage() {
  const [form, setForm] = useState(() => emptyForm(browserZone()));
  const [tried, setTried] = useState(false);
  const leave = useLeave();
  const client = useQueryClient();
  const create = useChange(() => createMonitor({ ...monitorBody(form), id: form.id || idOf(form.name) }), {
    touches: [['monitors', 'standing']],
    done: ({ id }) => {
      forgetLists(client);
      leave(id);
    },
  });
  const problems = tried ? problemsOf(form) : {};
  const submit = () => {
    setTried(true);
    if (Object.keys(problemsOf(form)).length === 0) create.run(undefined);
  };
  return (
    <PageFrame title="New monitor" crumbs={[MONITORS]}>
      <div className="max-w-3xl">
        <Form
          needs="monitoring"
          onSubmit={submit}
          error={create.error}
          running={create.running}
          actions={
            <>
              <Button onClick={() => leave()}>Cancel</Button>
              <Button type="submit" look="primary" needs="monitoring" busy={create.running}>
                Create monitor
              </Button>
            </>
          }
        >
          <MonitorFields form={form} problems={problems} onChange={setForm} isNew />
          <SchedulePreview form={form} />
        </Form>
      </div>
    </PageFrame>
  );
}

/** Its settings; those of the file can be read, not changed. */
export function EditMonitorPage() {
  const id = usePathParam('id');
  const { data, error, refetch } = useQuery({ ...monitorQuery(id), refetchOnWindowFocus: false });
  return (
    <PageFrame title="Edit" crumbs={[MONITORS, { label: id, to: `/monitors/${id}` }]}>
      {error && !data ? (
        <ErrorState what="Could not load this monitor." error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Editor key={id} monitor={data.body} etag={data.etag} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </PageFrame>
  );
}

function Editor({ monitor, etag }: { readonly monitor: Monitor; readonly etag: string | null }) {
  const { id, source } = monitor;
  const { read, form, setForm, theirs, settle, save, leave } = useEditing(monitor, etag);
  const problems = problemsOf(form);
  const locked = source.kind === 'file';
  const changed = changesBetween(read.form, form).length > 0;
  return (
    <div className="grid max-w-3xl gap-4">
      <SourceNotice source={source} path={monitorPath(id)} />
      {theirs && (
        <ChangedMeanwhile
          changes={changesBetween(read.form, theirs.form)}
          onKeep={() => settle(true)}
          onTake={() => settle(false)}
        />
      )}
      <Form
        needs={locked ? undefined : 'monitoring'}
        onSubmit={() => !locked && Object.keys(problems).length === 0 && save.run(undefined)}
        error={theirs ? null : save.error}
        running={save.running}
        actions={
          <>
            <Button onClick={() => leave(id)}>{locked ? 'Back' : 'Cancel'}</Button>
            {!locked && (
              <Button
                type="submit"
                look="primary"
                needs="monitoring"
                busy={save.running}
                disabled={!changed || theirs !== null}
              >
                Save monitor
              </Button>
            )}
          </>
        }
      >
        <fieldset disabled={locked} className="grid gap-4">
          <MonitorFields form={form} problems={problems} onChange={setForm} />
        </fieldset>
        <SchedulePreview form={form} />
        {changed && <WhatChanges monitor={monitor} form={form} />}
      </Form>
    </div>
  );
}

/** What saving does to what is due, before it is done. */
function WhatChanges({ monitor, form }: { readonly monitor: Monitor; readonly form: MonitorForm }) {
  const now = useNow();
  const moved = movedDeadline(monitor, form, now);
  return (
    <p className="text-small text-ink-2">
      {moved && (
        <strong className="font-medium text-ink">
          The deadline moves from {dayTime(moved.from, now)} to {dayTime(moved.to, now)}.{' '}
        </strong>
      )}
      Past checks and misses stay as they are.
    </p>
  );
}

/** `13:31`, with the day when it is another one. */
function dayTime(at: Date, now: Date): string {
  const zone = browserZone();
  const date = day(at, zone, now);
  return date === day(now, zone, now) ? shortTime(at, zone) : `${date}, ${shortTime(at, zone)}`;
}

interface Version {
  readonly form: MonitorForm;
  readonly etag: string | null;
}

/** What was read, what is typed, and what somebody else saved meanwhile. */
function useEditing(monitor: Monitor, etag: string | null) {
  const { id } = monitor;
  const [read, setRead] = useState<Version>(() => ({ form: formOf(monitor, browserZone()), etag }));
  const [form, setForm] = useState(read.form);
  const [theirs, setTheirs] = useState<Version | null>(null);
  const client = useQueryClient();
  const leave = useLeave();
  const compare = async () => {
    const fresh = await getTagged<Monitor>(monitorPath(id)).catch(() => null);
    if (fresh && fresh.etag !== read.etag)
      setTheirs({ form: formOf(fresh.body, browserZone()), etag: fresh.etag });
  };
  const change = () => send<Monitor>('PATCH', monitorPath(id), monitorBody(form), read.etag);
  const save = useChange(
    () =>
      change().catch(async (error: unknown) => {
        await compare();
        throw error;
      }),
    {
      touches: [['monitors', 'one', id]],
      done: (saved) => {
        putRows(client, [id], [saved]);
        tell('The monitor was saved.');
        leave(id);
      },
    },
  );
  const settle = (keepMine: boolean) => {
    if (!theirs) return;
    setRead(theirs);
    if (!keepMine) setForm(theirs.form);
    setTheirs(null);
    save.reset();
    void client.invalidateQueries({ queryKey: ['monitors', 'one', id] });
  };
  return { read, form, setForm, theirs, settle, save, leave };
}

/** To the monitor, or to the list. */
function useLeave(): (id?: string) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return (id) =>
    void navigate({ to: `/o/${org}/monitors${id === undefined ? '' : `/${encodeURIComponent(id)}`}` });
}
