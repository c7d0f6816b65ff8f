import type { Monitor } from '@floe/contract/api/monitors';
import { useQueryClient } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { useResourceCreation, useResourceEdit } from '../../data/resource-kind.ts';
import { formatTimeOrDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { NewResourceForm, ResourceLoader } from '../../ui/resource-forms.tsx';
import { showToast } from '../../ui/toast.tsx';
import { predictDeadlineChange } from './deadline.ts';
import { MONITOR_RESOURCE_KIND, removeInactiveMonitorLists, replaceCachedMonitors } from './monitor-data.ts';
import { monitorEditorText } from './monitor-editor-text.ts';
import { MonitorFields } from './monitor-fields.tsx';
import { createMonitorFormValues, type MonitorFormValues } from './monitor-form.ts';
import { SchedulePreview } from './schedule-preview.tsx';
import { monitorsText } from './text.ts';

const CRUMB = { label: monitorsText.page.title, to: '/monitors' } as const;

/** Renders the page that creates a monitor. */
export function NewMonitorPage() {
  const go = useResourceNavigate(CRUMB.to);
  const client = useQueryClient();
  const fresh = useResourceCreation(
    MONITOR_RESOURCE_KIND,
    () => createMonitorFormValues(getBrowserTimeZone()),
    ({ id }) => {
      removeInactiveMonitorLists(client);
      go(id, 'replace');
    },
  );
  return (
    <PageFrame title={monitorsText.page.newTitle} crumbs={[CRUMB]}>
      <div className="max-w-3xl">
        <NewResourceForm kind={MONITOR_RESOURCE_KIND} fresh={fresh} onCancel={() => go()}>
          <MonitorFields form={fresh.form} onChange={fresh.set} isNew />
          <SchedulePreview form={fresh.form} />
        </NewResourceForm>
      </div>
    </PageFrame>
  );
}

/** Renders the page that edits a monitor. A monitor from floe.yaml is read-only. */
export function EditMonitorPage() {
  const id = usePathParam('id');
  return (
    <PageFrame title={monitorsText.page.editTitle} crumbs={[CRUMB, { label: id, to: `/monitors/${id}` }]}>
      <ResourceLoader key={id} kind={MONITOR_RESOURCE_KIND} id={id}>
        {(loaded) => <MonitorEditor loaded={loaded} />}
      </ResourceLoader>
    </PageFrame>
  );
}

function MonitorEditor({ loaded }: { readonly loaded: ResourceWithETag<Monitor> }) {
  const monitor = loaded.body;
  const go = useResourceNavigate(CRUMB.to);
  const client = useQueryClient();
  const edit = useResourceEdit(MONITOR_RESOURCE_KIND, loaded, (saved) => {
    replaceCachedMonitors(client, [saved.id], [saved]);
    showToast(monitorEditorText.saved(saved.name));
    go(saved.id);
  });
  return (
    <div className="max-w-3xl">
      <EditForm
        edit={edit}
        source={monitor.source}
        verb={monitorEditorText.save}
        needs={MONITOR_RESOURCE_KIND.needs}
      >
        <MonitorFields form={edit.form} onChange={edit.set} />
        <SchedulePreview form={edit.form} lastBeatAt={monitor.last_beat_at} />
        {edit.isChanged && <DeadlineChange monitor={monitor} form={edit.form} />}
      </EditForm>
    </div>
  );
}

/** Shows how saving would change the next deadline. */
function DeadlineChange({ monitor, form }: { readonly monitor: Monitor; readonly form: MonitorFormValues }) {
  const now = useNow();
  const time = (at: Date) => formatTimeOrDateTime(at, getBrowserTimeZone(), now);
  const moved = predictDeadlineChange(monitor, form, now);
  return (
    <p className="text-small text-ink-2">
      {moved && (
        <strong className="font-medium text-ink">
          {monitorEditorText.deadlineMoves(time(moved.from), time(moved.to))}{' '}
        </strong>
      )}
      {monitorEditorText.pastUnchanged}
    </p>
  );
}
