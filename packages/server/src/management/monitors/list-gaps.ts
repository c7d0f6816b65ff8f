import { gaps, spanQuery } from '@floe/contract/api/monitors';
import { readVerb, type Verb } from '../verb.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { rangeOf } from './range-of.ts';

/** More than a year of nightly restarts; of more the latest. */
const GAPS_TOLD = 500;

/** What charts hatch: that nothing happened then is not known. */
export function listGaps(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.gaps',
    method: 'GET',
    path: '/api/monitoring/gaps',
    scope: MONITORING_SCOPES,
    summary: 'List the spans in which no process of Floe was there, oldest first',
    query: spanQuery,
    answer: gaps,
    async run(_context, { query }) {
      const sight = host.engine.sight();
      const { fromMs, toMs } = rangeOf(query, sight.nowMs);
      return {
        data: sight.gaps
          .filter(({ startAt, endAt }) => startAt < toMs && endAt > fromMs)
          .slice(-GAPS_TOLD)
          .map(({ startAt, endAt }) => ({
            started_at: new Date(startAt).toISOString(),
            ended_at: new Date(endAt).toISOString(),
          })),
      };
    },
  });
}
