import { schedulePreview, schedulePreviewInput } from '@floe/contract/api/monitors';
import { MEMBER_ROLES } from '@floe/contract/roles';
import { DEFAULT_GRACE_MS } from '../../monitoring/monitor-definition.ts';
import { createScheduleOccurrences } from '../../monitoring/monitor-schedule.ts';
import { parseMonitorSchedule } from '../../monitoring/monitor-state-columns.ts';
import { getDefaultGraceMs } from '../../store/monitoring/monitors.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { buildMonitorDefinition } from './monitor-definition.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from './monitoring-dependencies.ts';

/**
 * Defines the operation that returns the next times at which a schedule expects beats (`POST
 * /api/monitoring/schedule/preview`).
 */
export function definePreviewScheduleOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'monitors.preview',
    method: 'POST',
    path: '/api/monitoring/schedule/preview',
    scope: MONITORING_SCOPES,
    // A member who may read a schedule may also evaluate one.
    roles: MEMBER_ROLES,
    summary: 'Preview when a schedule expects beats and when the grace period of each beat ends',
    body: schedulePreviewInput,
    answer: schedulePreview,
    async run({ orgId, reader }, { body }) {
      const { from, count, ...fields } = body;
      const zone = dependencies.timezone(orgId);
      const definition = buildMonitorDefinition({ ...fields, id: 'preview' }, {}, zone);
      const grace = definition.grace_ms ?? (await getDefaultGraceMs(reader, orgId)) ?? DEFAULT_GRACE_MS;
      const timezone = definition.timezone ?? zone;
      const occurrences = createScheduleOccurrences(parseMonitorSchedule(definition));
      const data = [];
      let at: number | null =
        from === undefined ? dependencies.engine.evaluationContext().nowMs : Date.parse(from);
      while (data.length < count) {
        at = occurrences.after(at);
        if (at === null) break;
        data.push({
          expected_at: new Date(at).toISOString(),
          deadline_at: new Date(at + grace).toISOString(),
          expected_at_local: formatLocalTime(at, timezone),
        });
      }
      return { data, timezone, grace_period_minutes: grace / 60_000 };
    },
  });
}

/** Formats a time as `2026-11-22 03:00:00 EET`. */
function formatLocalTime(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short', timeZone })
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName');
  return `${parts.format(ms)} ${zone?.value ?? timeZone}`;
}
