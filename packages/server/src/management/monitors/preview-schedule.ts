import { preview, previewAsk } from '@floe/contract/api/monitors';
import { ROLES } from '@floe/contract/roles';
import { scheduleOf } from '../../monitoring/clock-rows.ts';
import { DEFAULT_GRACE_MS } from '../../monitoring/definition.ts';
import { promisesOf } from '../../monitoring/schedule.ts';
import { defaultGrace } from '../../store/monitoring/definitions.ts';
import { readVerb, type Verb } from '../verb.ts';
import { monitorDraft } from './monitor-draft.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

export function previewSchedule(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.preview',
    method: 'POST',
    path: '/api/monitoring/schedule/preview',
    scope: MONITORING_SCOPES,
    // Whoever may read a schedule may know what it means.
    roles: ROLES,
    summary: 'When a schedule would expect beats, and until when each is on time',
    body: previewAsk,
    answer: preview,
    async run({ orgId, reader }, { body }) {
      const { from, count, ...fields } = body;
      const zone = host.timezone(orgId);
      const definition = monitorDraft({ ...fields, id: 'preview' }, {}, zone);
      const grace = definition.grace_ms ?? (await defaultGrace(reader, orgId)) ?? DEFAULT_GRACE_MS;
      const timezone = definition.timezone ?? zone;
      const promises = promisesOf(scheduleOf(definition));
      const data = [];
      let at: number | null = from === undefined ? host.engine.sight().nowMs : Date.parse(from);
      while (data.length < count) {
        at = promises.after(at);
        if (at === null) break;
        data.push({
          expected_at: new Date(at).toISOString(),
          deadline_at: new Date(at + grace).toISOString(),
          local: localTime(at, timezone),
        });
      }
      return { data, timezone, grace_period_minutes: grace / 60_000 };
    },
  });
}

/** As `2026-11-22 03:00:00 EET`. */
function localTime(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short', timeZone })
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName');
  return `${parts.format(ms)} ${zone?.value ?? timeZone}`;
}
