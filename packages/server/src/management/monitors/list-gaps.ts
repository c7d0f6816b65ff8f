import { gapList, monitorHistoryRangeQuery } from '@floe/contract/api/monitor-history';
import { defineReadOperation, type Operation } from '../operation.ts';
import { resolveHistoryRange } from './history-range.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from './monitoring-dependencies.ts';

/** More than a year of nightly restarts. Older gaps are omitted. */
const MAX_LISTED_GAPS = 500;

/**
 * Defines the operation that lists the gaps in which no Floe process could accept beats. For these
 * times, Floe does not know whether beats were missed.
 */
export function defineListGapsOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'monitors.gaps',
    method: 'GET',
    path: '/api/monitoring/gaps',
    scope: MONITORING_SCOPES,
    summary:
      'List the gaps in which no Floe process could accept beats, oldest first; defaults to the last 30 days',
    query: monitorHistoryRangeQuery,
    answer: gapList,
    async run(_context, { query }) {
      const evaluation = dependencies.engine.evaluationContext();
      const { fromMs, toMs } = resolveHistoryRange(query, evaluation.nowMs);
      return {
        data: evaluation.gaps
          .filter(({ startAt, endAt }) => startAt < toMs && endAt > fromMs)
          .slice(-MAX_LISTED_GAPS)
          .map(({ startAt, endAt }) => ({
            started_at: new Date(startAt).toISOString(),
            ended_at: new Date(endAt).toISOString(),
          })),
      };
    },
  });
}
