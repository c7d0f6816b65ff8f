import { type Alert, getAlertTags } from '../alerts/alert.ts';
import type { AlertMutedUntil, AlertMuteResolver } from '../alerts/prepared-alert-message.ts';
import {
  listMutedMonitors,
  listUnfinishedMaintenanceWindows,
} from '../store/monitoring/maintenance-windows.ts';
import { listMonitorsById, listMonitorsWithoutBeat } from '../store/monitoring/monitors.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { createMaintenanceMatcher, findMaintenanceOccurrenceAt } from './maintenance-occurrences.ts';
import { parseMonitorListColumn } from './monitoring-unit-of-work.ts';

/**
 * Determines which alerts are delayed: alerts about muted monitors, and alerts about monitors during a
 * maintenance window. The monitors' history is still recorded. Recovery alerts are not delayed, because the
 * channel has received the failure alert. An alert about a missing first beat no longer applies when
 * the monitor has received one, or was paused or deleted.
 */
export const resolveMonitorMutes: AlertMuteResolver = async (reader, alerts, nowMs) => {
  const until = new Map<Alert, AlertMutedUntil>();
  const asked = alerts.filter(
    ({ subject, event }) => subject.kind === 'monitor' && event !== 'monitor_recovered',
  );
  if (asked.length === 0) return until;
  const orgIds = [...new Set(asked.map(({ orgId }) => orgId))];
  const [windows, muted, silent] = await Promise.all([
    listUnfinishedMaintenanceWindows(reader, orgIds, nowMs),
    listMutedMonitors(reader, orgIds, nowMs),
    listMonitorsWithoutBeat(reader, asked.filter(isAboutFirstBeat).map(toMonitorReference)),
  ]);
  const withoutBeat = new Set(silent.map(({ org_id, id }) => JSON.stringify([org_id, id])));
  const mutes = new Map(muted.map((row) => [JSON.stringify([row.org_id, row.id]), row.muted_until ?? 0]));
  const running = windows.flatMap((row) => {
    const now = findMaintenanceOccurrenceAt(row, nowMs);
    return now ? [{ orgId: row.org_id, endsAt: now.endsAt, isAbout: createMaintenanceMatcher(row) }] : [];
  });
  const currentTags = await loadCurrentTags(reader, running.length === 0 ? [] : asked);
  for (const alert of asked) {
    const { orgId, subject } = alert;
    const tags = currentTags.get(JSON.stringify([orgId, subject.id])) ?? getAlertTags(alert);
    const about = { id: subject.id, tags };
    const ends = running
      .filter((window) => window.orgId === orgId && window.isAbout(about))
      .map(({ endsAt }) => endsAt);
    const end = Math.max(mutes.get(JSON.stringify([orgId, subject.id])) ?? 0, ...ends);
    if (end > nowMs) until.set(alert, end);
    else if (isAboutFirstBeat(alert) && !withoutBeat.has(JSON.stringify([orgId, subject.id])))
      until.set(alert, 'obsolete');
  }
  return until;
};

/** Returns the tags that the monitors of the alerts have now. They may have changed since the alert was created. */
async function loadCurrentTags(
  reader: DatabaseReader,
  alerts: readonly Alert[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const tags = new Map<string, readonly string[]>();
  for (const [orgId, own] of Map.groupBy(alerts, (alert) => alert.orgId)) {
    const ids = new Set(own.map(({ subject }) => subject.id));
    for (const { id, tags_json } of await listMonitorsById(reader, orgId, [...ids]))
      tags.set(JSON.stringify([orgId, id]), parseMonitorListColumn(tags_json));
  }
  return tags;
}

const isAboutFirstBeat = ({ event }: Alert) => event === 'monitor_never_beaten';

const toMonitorReference = ({ orgId, subject }: Alert) => ({ orgId, id: subject.id });
