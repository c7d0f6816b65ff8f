import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import type { WithETag } from '../../data/api-client.ts';
import { useNewResource, useResourceEdit } from '../../data/resource-kind.ts';
import { browserZone, formatDayLabel, formatShortTime } from '../../format/times.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { LoadedResource, NewResourceForm } from '../../ui/resource-forms.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { computeMovedDeadline } from './deadline.ts';
import { MONITOR_RESOURCE, removeInactiveMonitorLists, replaceMonitors } from './monitor-data.ts';
import { MonitorFields } from './monitor-fields.tsx';
import { emptyMonitorForm, type MonitorForm } from './monitor-form.ts';
import { SchedulePreview } from './schedule-preview.tsx';

const CRUMB = { label: 'Monitors', to: '/monitors' } as const;

/** A monitor that is not there yet. */
export function NewMonitorPage() {
  const go = useResourceNavigate(CRUMB.to);
  const client = useQueryClient();
  const fresh = useNewResource(
    MONITOR_RESOURCE,
    () => emptyMonitorForm(browserZone()),
    ({ id }) => {
      removeInactiveMonitorLists(client);
      go(id, 'replace');
    },
  );
  return (
    <PageFrame title="New monitor" crumbs={[CRUMB]}>
      <div className="max-w-3xl">
        <NewResourceForm kind={MONITOR_RESOURCE} fresh={fresh} onCancel={() => go()}>
          <MonitorFields form={fresh.form} onChange={fresh.set} isNew />
          <SchedulePreview form={fresh.form} />
        </NewResourceForm>
      </div>
    </PageFrame>
  );
}

/** Its settings; those of the file can be read, not changed. */
export function EditMonitorPage() {
  const id = usePathParam('id');
  return (
    <PageFrame title="Edit" crumbs={[CRUMB, { label: id, to: `/monitors/${id}` }]}>
      <LoadedResource key={id} kind={MONITOR_RESOURCE} id={id}>
        {(read) => <MonitorEditor read={read} />}
      </LoadedResource>
    </PageFrame>
  );
}

function MonitorEditor({ read }: { readonly read: WithETag<Monitor> }) {
  const monitor = read.body;
  const go = useResourceNavigate(CRUMB.to);
  const client = useQueryClient();
  const edit = useResourceEdit(MONITOR_RESOURCE, read, (saved) => {
    replaceMonitors(client, [saved.id], [saved]);
    showToast('The monitor was saved.');
    go(saved.id);
  });
  return (
    <div className="max-w-3xl">
      <EditForm edit={edit} source={monitor.source} verb="Save monitor" needs={MONITOR_RESOURCE.needs}>
        <MonitorFields form={edit.form} onChange={edit.set} />
        <SchedulePreview form={edit.form} />
        {edit.isChanged && <DeadlineChange monitor={monitor} form={edit.form} />}
      </EditForm>
    </div>
  );
}

/** What saving does to what is due, before it is done. */
function DeadlineChange({ monitor, form }: { readonly monitor: Monitor; readonly form: MonitorForm }) {
  const now = useNow();
  const moved = computeMovedDeadline(monitor, form, now);
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
  const date = formatDayLabel(at, zone, now);
  return date === formatDayLabel(now, zone, now)
    ? formatShortTime(at, zone)
    : `${date}, ${formatShortTime(at, zone)}`;
}
