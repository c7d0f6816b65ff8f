import type { AuditEntry, auditChainStatus } from '@floe/contract/api/audit';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { fetchNextNonEmptyPage, getJson } from '../../data/api-client.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { SUGGESTED_AUDIT_ACTIONS } from './audit-entry.ts';
import { auditText } from './text.ts';

type Chain = z.output<typeof auditChainStatus>;

const PAGE_ROWS = 100;

/** The longest time range of the audit log, for links to all changes of one resource or by one actor. */
export const LONGEST_AUDIT_RANGE = '400d';

/** The filter fields of the audit log. Their names are the query parameters of the API. */
export const AUDIT_FILTER_FIELDS: readonly FilterField[] = [
  { name: 'actor', label: auditText.filters.actor, values: ['file', 'setup'] },
  { name: 'action', label: auditText.filters.action, values: SUGGESTED_AUDIT_ACTIONS },
  { name: 'subject', label: auditText.filters.subject },
];

/** Returns the query for the audit log entries that match the filters, page by page, newest first. */
export function buildAuditQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      fetchNextNonEmptyPage<AuditEntry>(
        'api/management/audit',
        { ...filters, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/**
 * The query for the result of verifying the hash chain. The server verifies the entire chain for each
 * request.
 */
export const auditChainQuery = queryOptions({
  queryKey: ['audit-chain'],
  queryFn: ({ signal }) => getJson<Chain>('api/management/audit/chain', undefined, signal),
  staleTime: 300_000,
});
