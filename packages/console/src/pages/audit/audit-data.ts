import type { AuditEntry, auditChain } from '@floe/contract/api/audit';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { AUDIT_ACTIONS } from './audit-entry.ts';

type Chain = z.output<typeof auditChain>;

const PAGE_ROWS = 100;

/** What changes are filtered by: the API's own parameters. */
export const AUDIT_FIELDS: readonly FilterField[] = [
  { name: 'actor', label: 'actor', values: ['file', 'setup'] },
  { name: 'action', label: 'action', values: AUDIT_ACTIONS },
  { name: 'subject', label: 'subject' },
];

export function auditQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<ApiPage<AuditEntry>>(
        'api/management/audit',
        { ...filters, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Whether the chain of the org's entries holds: walked by the server when it is asked for. */
export const chainQuery = queryOptions({
  queryKey: ['audit-chain'],
  queryFn: ({ signal }) => getJson<Chain>('api/management/audit/chain', undefined, signal),
  staleTime: 300_000,
});
