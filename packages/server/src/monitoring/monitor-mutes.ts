import { type Alert, getAlertTags } from '../alerts/alert.ts';
import type { AlertMuteResolver } from '../alerts/composed-alert-message.ts';
import {
  listMutedMonitors,
  listUnfinishedMaintenanceWindows,
} from '../store/monitoring/maintenance-windows.ts';
import { createMaintenanceMatcher, findMaintenanceOccurrenceAt } from './maintenance-occurrences.ts';

/**
 * Determines which alerts are muted: alerts about muted monitors and about monitors under maintenance. The
 * monitors' history is still recorded. Recovery alerts are not muted, because the channel has received the
 * failure alert.
 */
export const resolveMonitorMutes: AlertMuteResolver = async (reader, alerts, nowMs) => {
  const until = new Map<Alert, number>();
  const asked = alerts.filter(
    ({ subject, event }) => subject.kind === 'monitor' && event !== 'monitor_recovered',
  );
  if (asked.length === 0) return until;
  const orgIds = [...new Set(asked.map(({ orgId }) => orgId))];
  const [windows, muted] = await Promise.all([
    listUnfinishedMaintenanceWindows(reader, orgIds, nowMs),
    listMutedMonitors(reader, orgIds, nowMs),
  ]);
  const mutes = new Map(muted.map((row) => [JSON.stringify([row.org_id, row.id]), row.muted_until ?? 0]));
  const running = windows.flatMap((row) => {
    const now = findMaintenanceOccurrenceAt(row, nowMs);
    return now ? [{ orgId: row.org_id, endsAt: now.endsAt, isAbout: createMaintenanceMatcher(row) }] : [];
  });
  for (const alert of asked) {
    const { orgId, subject } = alert;
    const about = { id: subject.id, tags: getAlertTags(alert) };
    const ends = running
      .filter((window) => window.orgId === orgId && window.isAbout(about))
      .map(({ endsAt }) => endsAt);
    const end = Math.max(mutes.get(JSON.stringify([orgId, subject.id])) ?? 0, ...ends);
    if (end > nowMs) until.set(alert, end);
  }
  return until;
};
