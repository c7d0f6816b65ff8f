import { MONITORS_AT_ONCE, standing, standingQuery } from '@floe/contract/api/monitors';
import { Fault } from '@floe/contract/faults';
import { type Recent, readRecent } from '../../monitoring/recent.ts';
import { monitorCounts } from '../../store/monitoring/overview.ts';
import { readVerb, type Verb } from '../verb.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

/** What a list of monitors shows beside the monitors, in one answer. */
export function getStanding(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.standing',
    method: 'GET',
    path: '/api/monitoring/standing',
    scope: MONITORING_SCOPES,
    summary: 'How many monitors are in each state, and the last day of some of them',
    query: standingQuery,
    answer: standing,
    async run({ orgId, reader }, { query }) {
      const ids = [...new Set(query.monitors.split(',').filter((id) => id !== ''))];
      if (ids.length > MONITORS_AT_ONCE)
        throw new Fault('invalid_request', `monitors: at most ${MONITORS_AT_ONCE} at a time`, {
          param: 'monitors',
        });
      const found = await monitorCounts(reader, orgId);
      const count = (status: string) => found.get(status) ?? 0;
      const recent = await readRecent(reader, orgId, ids, host.engine.sight());
      return {
        counts: {
          failing: count('failing'),
          waiting: count('waiting'),
          paused: count('paused'),
          healthy: count('healthy'),
        },
        recent: recent.map(recentAnswer),
      };
    },
  });
}

function recentAnswer({ id, uptimeRatio, slices }: Recent) {
  return {
    id,
    uptime_ratio: uptimeRatio,
    slices: slices.map(({ startedAt, healthy, failing, unknown, paused }) => ({
      started_at: new Date(startedAt).toISOString(),
      healthy_seconds: healthy / 1000,
      failing_seconds: failing / 1000,
      unknown_seconds: unknown / 1000,
      paused_seconds: paused / 1000,
    })),
  };
}
