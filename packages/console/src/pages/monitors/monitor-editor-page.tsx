import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { usePlace } from '../../app/use-place.ts';
import type { Tagged } from '../../data/api-client.ts';
import { useFresh, useResourceEdit } from '../../data/resource-kind.ts';
import { browserZone, day, shortTime } from '../../format/moments.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Loaded, NewForm } from '../../ui/resource-forms.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { tell } from '../../ui/toast.tsx';
import { movedDeadline } from './deadline.ts';
import { forgetLists, MONITORS, putRows } from './monitor-data.ts';
import { MonitorFields } from './monitor-fields.tsx';
import { emptyForm, type MonitorForm } from './monitor-form.ts';
import { SchedulePreview } from './schedule-preview.tsx';

const CRUMB = { label: 'Monitors', to: '/monitors' } as const;

/** A monitor that is not there yet. */
export function NewMonitorPage() {
  const go = usePlace(CRUMB.to);
  const client = useQueryClient();
  const fresh = useFresh(
    MONITORS,
    () => emptyForm(browserZone()),
    ({ id }) => {
      forgetLists(client);
      go(id, 'replace');
    },
  );
  return (
    <PageFrame title="New monitor" crumbs={[CRUMB]}>
      <div className="max-w-3xl">
        <NewForm kind={MONITORS} fresh={fresh} onCancel={() => go()}>
          <MonitorFields form={fresh.form} onChange={fresh.set} isNew />
          <SchedulePreview form={fresh.form} />
        </NewForm>
      </div>
    </PageFrame>
  );
}

/** Its settings; those of the file can be read, not changed. */
export function EditMonitorPage() {
  const id = usePathParam('id');
  return (
    <PageFrame title="Edit" crumbs={[CRUMB, { label: id, to: `/monitors/${id}` }]}>
      <Loaded key={id} kind={MONITORS} id={id}>
        {(read) => <Editor read={read} />}
      </Loaded>
    </PageFrame>
  );
}

function Editor({ read }: { readonly read: Tagged<Monitor> }) {
  const monitor = read.body;
  const go = usePlace(CRUMB.to);
  const client = useQueryClient();
  const edit = useResourceEdit(MONITORS, read, (saved) => {
    putRows(client, [saved.id], [saved]);
    tell('The monitor was saved.');
    go(saved.id);
  });
  return (
    <div className="max-w-3xl">
      <EditForm edit={edit} source={monitor.source} verb="Save monitor" needs={MONITORS.needs}>
        <MonitorFields form={edit.form} onChange={edit.set} />
        <SchedulePreview form={edit.form} />
        {edit.isChanged && <WhatChanges monitor={monitor} form={edit.form} />}
      </EditForm>
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
