import type { AuditEntry } from '@floe/contract/api/audit';
import type { CheckResource } from '@floe/contract/api/monitor-history';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import { buildMonitorApiPath, daysAgo } from './monitor-data.ts';

/**
 * Returns the query for the beats and misses to mark below the timeline: the newest beats, and the newest misses and
 * failures, which are often older.
 */
export function buildRecentChecksQuery(id: string, days: number) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'marks', days],
    queryFn: async ({ signal }): Promise<readonly CheckResource[]> => {
      const from = daysAgo(days);
      const lists = await Promise.all(
        [{}, { status: 'missed' }, { status: 'failed' }].map((status) =>
          getJson<ApiPage<CheckResource>>(
            buildMonitorApiPath(id, '/checks'),
            { from, limit: 200, ...status },
            signal,
          ),
        ),
      );
      const byId = new Map(lists.flatMap(({ data }) => data.map((check) => [check.id, check] as const)));
      return [...byId.values()];
    },
    placeholderData: keepPreviousData,
  });
}

/** Returns the query for the audit log entries of the latest changes to a monitor's settings. */
export function buildSettingsChangesQuery(id: string) {
  return queryOptions({
    queryKey: ['monitors', 'one', id, 'changes'],
    queryFn: ({ signal }) =>
      getJson<ApiPage<AuditEntry>>(
        'api/management/audit',
        // The API, the command line and floe.yaml record changes with different actions.
        { subject: id, limit: 50 },
        signal,
      ),
    staleTime: 60_000,
  });
}
