import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { useState } from 'react';
import { getJsonWithETag, sendJson, sendJsonWithETag } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { getServerTime } from '../../data/server-clock.ts';
import { formatDuration } from '../../format/amounts.ts';
import { formatTimeOrDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useMonitorNames } from '../monitors/monitor-combobox.tsx';
import { maintenanceText } from './text.ts';

/** Shows the active windows with buttons that extend or end them. */
export function ActiveMaintenanceWindows({ windows }: { readonly windows: readonly MaintenanceWindow[] }) {
  const open = windows.filter(({ active_until: until }) => until !== null);
  return open.map((window) => <ActiveWindow key={window.id} window={window} />);
}

function ActiveWindow({ window }: { readonly window: MaintenanceWindow }) {
  const { id, name, active_until, schedule } = window;
  const now = useNow();
  const until = new Date(active_until ?? now);
  const [isEnding, setEnding] = useState(false);
  const extend = useApiMutation(() => extendWindow(id), { touches: [['maintenance']] });
  const scope = useMaintenanceScopeText(window);
  return (
    <section className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-maintenance-line bg-maintenance-tint px-4 py-3">
      <StatusBadge state="maintenance">{maintenanceText.active.badge}</StatusBadge>
      <div className="min-w-0 flex-1 max-md:basis-full">
        <h2 className="text-body font-semibold">
          {maintenanceText.active.title(name, formatTimeOrDateTime(until, getBrowserTimeZone(), now))}
        </h2>
        <p className="text-ui text-ink-2">
          {maintenanceText.active.effect(scope, formatDuration(Math.max(0, until.getTime() - now.getTime())))}
        </p>
        {extend.error && <p className="text-small text-failing-ink">{extend.error.message}</p>}
      </div>
      {schedule === null && (
        <>
          <Button needs="monitoring" busy={extend.running} onClick={() => extend.run(undefined)}>
            {maintenanceText.active.extend}
          </Button>
          <Button needs="monitoring" onClick={() => setEnding(true)}>
            {maintenanceText.active.end}
          </Button>
        </>
      )}
      {isEnding && (
        <ConfirmChangeDialog
          sendChange={() => sendWindowEnd(id, getServerTime())}
          touches={[['maintenance']]}
          onDone={() => {
            setEnding(false);
            showToast(maintenanceText.active.ended(name));
          }}
          onClose={() => setEnding(false)}
          title={maintenanceText.active.endTitle(name)}
          verb={maintenanceText.active.end}
        >
          {maintenanceText.list.deleteEffect}
        </ConfirmChangeDialog>
      )}
    </section>
  );
}

const EXTENSION_MS = 30 * 60_000;

const buildWindowApiPath = (id: string) => `api/monitoring/maintenance/${encodeURIComponent(id)}`;

/** Extends the window from its current end, which another member may have changed after the list was loaded. */
async function extendWindow(id: string): Promise<void> {
  const path = buildWindowApiPath(id);
  const { body, etag } = await getJsonWithETag<MaintenanceWindow>(path);
  const end = body.ends_at === null ? getServerTime() : new Date(body.ends_at);
  await sendJsonWithETag(
    'PATCH',
    path,
    { ends_at: new Date(end.getTime() + EXTENSION_MS).toISOString() },
    etag,
  );
}

function sendWindowEnd(id: string, at: Date): Promise<MaintenanceWindow> {
  return sendJson<MaintenanceWindow>('PATCH', buildWindowApiPath(id), { ends_at: at.toISOString() });
}

/** Returns the names of the monitors that a window applies to, as in `CRM sync and monitors tagged db`. */
export function useMaintenanceScopeText({
  monitors,
  tags,
}: Pick<MaintenanceWindow, 'monitors' | 'tags'>): string {
  const nameOf = useMonitorNames(monitors);
  return monitors.length === 0 && tags.length === 0
    ? maintenanceText.active.allMonitors
    : maintenanceText.active.scope(monitors.map(nameOf), tags);
}
