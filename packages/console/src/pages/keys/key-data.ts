import type { AuditEntry } from '@floe/contract/api/audit';
import type { createdKey, keyCreation, keyPatch, PlatformKey } from '@floe/contract/api/keys';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, allPages, getJson, getWithETag, sendJson } from '../../data/api-client.ts';
import { DAY_MS, summaryQuery, type TopValues, timeseriesQuery, topQuery } from '../../data/charts.ts';
import { actorName } from '../audit/audit-entry.ts';
import type { Budget } from '../budgets/budget-form.ts';
import type { Limit } from '../limits/limit-form.ts';

export type KeyResource = PlatformKey;
export type CreatedKey = z.output<typeof createdKey>;
export type KeyCreation = z.input<typeof keyCreation>;
export type KeyChange = z.input<typeof keyPatch>;

/** Query keys that every change of a key makes stale. */
export const KEY_QUERY_KEYS = [['keys'], ['key'], ['audit']] as const;

/**
 * The query for all keys of the organization, including expired and revoked ones. The list is small, so the
 * browser filters it.
 */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => allPages<KeyResource>('api/management/keys', {}, signal),
});

export function keyQuery(id: string) {
  return queryOptions({
    queryKey: ['key', id],
    queryFn: ({ signal }) => getWithETag<KeyResource>(keyPath(id), signal),
  });
}

const MONTH_MS = 30 * DAY_MS;

/** The query for the cost of each key in the last 30 days, in nano-USD by key ID. */
export const keyCostsQuery = {
  ...topQuery({ by: 'key', metric: 'cost_nano_usd', limit: 100 }, MONTH_MS),
  select: ({ data }: TopValues) =>
    new Map(data.map(({ value, cost_nano_usd }) => [value ?? '', cost_nano_usd])),
  staleTime: 60_000,
};

/** Returns the query for the totals of one key in the last 30 days. */
export function keyFiguresQuery(id: string) {
  return summaryQuery({ key: id }, MONTH_MS);
}

/**
 * Returns the query for the requests of one key that a limit, budget or policy rejected in the last 30 days.
 */
export function blockedKeyRequestsQuery(id: string) {
  return summaryQuery({ key: id, outcome: 'blocked' }, MONTH_MS);
}

/** Returns the query for the daily requests of one key. */
export function keyUsageQuery(id: string) {
  return timeseriesQuery({ metric: 'requests', interval: 'day', key: id }, MONTH_MS);
}

/** Returns the query for the newest changes of one key. */
export function keyHistoryQuery(id: string) {
  return queryOptions({
    queryKey: ['audit', 'key', id],
    queryFn: ({ signal }) =>
      getJson<ApiPage<AuditEntry>>('api/management/audit', { subject: id, limit: 10 }, signal),
  });
}

/** The query for who revoked each key, by key id. The names are those at the time of the revocation. */
export const revokersQuery = queryOptions({
  queryKey: ['audit', 'revokers'],
  queryFn: async ({ signal }) => {
    const { data } = await getJson<ApiPage<AuditEntry>>(
      'api/management/audit',
      { action: 'keys.revoke', limit: 200 },
      signal,
    );
    return new Map(data.map((entry) => [entry.subject, actorName(entry)]));
  },
});

/** The query for the limits and budgets of the organization, from which those of a key are selected. */
export const limitsAndBudgetsQuery = queryOptions({
  queryKey: ['limits', 'with-budgets'],
  queryFn: async ({ signal }) => {
    const [limits, budgets] = await Promise.all([
      allPages<Limit>('api/management/limits', {}, signal),
      allPages<Budget>('api/management/budgets', {}, signal),
    ]);
    return { limits, budgets };
  },
});

export function createKey(key: KeyCreation): Promise<CreatedKey> {
  return sendJson('POST', 'api/management/keys', key);
}

/** Gives the key a new value. The old value stays valid for `overlapHours` hours. */
export function rotateKey(id: string, overlapHours: number): Promise<CreatedKey> {
  return sendJson('POST', `${keyPath(id)}/rotate`, { overlap_hours: overlapHours });
}

/** Expires the previous value of a rotated key immediately. */
export function endOverlap(id: string): Promise<KeyResource> {
  return sendJson('POST', `${keyPath(id)}/end-overlap`);
}

export function revokeKey(id: string): Promise<null> {
  return sendJson('DELETE', keyPath(id));
}

/** Returns the API path of a key. */
export function keyPath(id: string): string {
  return `api/management/keys/${encodeURIComponent(id)}`;
}
