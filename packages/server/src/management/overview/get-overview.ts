import { overview, overviewQuery } from '@floe/contract/api/overview';
import { summaryOf } from '../../analytics/charts.ts';
import { rangeBefore } from '../../analytics/grid.ts';
import { monitorCounts } from '../../store/monitoring/overview.ts';
import { type Coverage, momentOf } from '../analytics/analytics-host.ts';
import { chartRange } from '../analytics/chart-range.ts';
import { readVerb, type Verb } from '../verb.ts';
import { type AttentionParts, attentionOf } from './needs-attention.ts';

export function getOverview(coverage: Coverage, parts: AttentionParts): Verb {
  return readVerb({
    name: 'overview.get',
    method: 'GET',
    path: '/api/overview',
    scope: 'management',
    summary: 'Read what needs somebody, and the traffic of a range beside the one before',
    query: overviewQuery,
    answer: overview,
    async run(context, { query }) {
      const { reader, orgId, clock } = context;
      const range = chartRange(context, coverage.zoneOf(orgId), { ...query, compare: 'previous' });
      const before = { ...range, ...rangeBefore(range, range.timezone) };
      const [now, previous, counts, { attention, more }] = await Promise.all([
        summaryOf(reader, range),
        summaryOf(reader, before),
        monitorCounts(reader, orgId),
        attentionOf(context, parts),
      ]);
      return {
        summary: {
          ...coverage.of(range, clock),
          ...now,
          previous: { from: momentOf(before.from), to: momentOf(before.to), ...previous },
        },
        monitors: {
          healthy: counts.get('healthy') ?? 0,
          failing: counts.get('failing') ?? 0,
          waiting: counts.get('waiting') ?? 0,
          paused: counts.get('paused') ?? 0,
        },
        stores: {
          database: 'ok' as const,
          shared: parts.standing.sharedStore(),
          rows_waiting: parts.backlog(),
        },
        attention,
        more,
      };
    },
  });
}
