import type { AuditEntry } from '@floe/contract/api/audit';
import type { createdKey, keyCreation, keyPatch, PlatformKey } from '@floe/contract/api/keys';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import {
  buildSummaryQuery,
  buildTimeseriesQuery,
  buildTopValuesQuery,
  DAY_MS,
  type TopValues,
} from '../../data/analytics-queries.ts';
import {
  type ApiPage,
  getJson,
  getJsonWithETag,
  type IdempotencyKeys,
  sendJson,
} from '../../data/api-client.ts';
import { deleteResource } from '../../data/delete-resource.ts';
import { fetchAllRows } from '../../data/fetch-all-rows.ts';
import { formatActorName } from '../audit/audit-entry.ts';
import type { Budget } from '../budgets/budget-form.ts';
import type { Limit } from '../limits/limit-form.ts';

/** A platform key as the API returns it, without its value. */
export type KeyResource = PlatformKey;
/** A new or rotated platform key with its value, which the API returns only once. */
export type CreatedKey = z.output<typeof createdKey>;
/** The request body that creates a key. */
export type KeyCreationInput = z.input<typeof keyCreation>;
/** The request body that changes a key. */
export type KeyUpdateInput = z.input<typeof keyPatch>;

/** The query keys to invalidate after a change to a platform key. */
export const PLATFORM_KEY_QUERY_KEYS = [['keys'], ['key'], ['audit']] as const;

/**
 * The query for all platform keys of the organization, including expired and revoked ones. The list is small,
 * so the browser filters it.
 */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => fetchAllRows<KeyResource>('api/management/keys', {}, signal),
});

/** Returns the query for one platform key, with the ETag for its next change. */
export function buildKeyQuery(id: string) {
  return queryOptions({
    queryKey: ['key', id],
    queryFn: ({ signal }) => getJsonWithETag<KeyResource>(buildKeyApiPath(id), signal),
  });
}

const MONTH_MS = 30 * DAY_MS;

/** Maximum number of keys whose cost the API returns. */
const MOST_COSTS = 100;

/** Returns the cost of a key in nano-USD, or null if it is unknown. */
export type KeyCostLookup = (id: string) => number | null;

/** The query for the cost of each key in the last 30 days. In large organizations, only the highest costs are known. */
export const keyCostsQuery = {
  ...buildTopValuesQuery({ by: 'key', metric: 'cost_nano_usd', limit: MOST_COSTS }, MONTH_MS),
  select: ({ data }: TopValues): KeyCostLookup => {
    const costs = new Map(data.map(({ value, cost_nano_usd }) => [value ?? '', cost_nano_usd]));
    const others = data.length < MOST_COSTS ? 0 : null;
    return (id) => costs.get(id) ?? others;
  },
  staleTime: 60_000,
};

/** The costs until the response has arrived. */
export const UNKNOWN_KEY_COSTS: KeyCostLookup = () => null;

/** Returns the query for the totals of one key in the last 30 days. */
export function buildKeyTotalsQuery(id: string) {
  return buildSummaryQuery({ key: id }, MONTH_MS);
}

/**
 * Returns the query for the requests of one key that a limit, budget or policy rejected in the last 30 days.
 */
export function buildKeyBlockedRequestsQuery(id: string) {
  return buildSummaryQuery({ key: id, outcome: 'blocked' }, MONTH_MS);
}

/** Returns the query for the number of requests per day with one key. */
export function buildKeyUsageQuery(id: string) {
  return buildTimeseriesQuery({ metric: 'requests', interval: 'day', key: id }, MONTH_MS);
}

/** Returns the query for the newest changes to one key. */
export function buildKeyHistoryQuery(id: string) {
  return queryOptions({
    queryKey: ['audit', 'key', id],
    queryFn: ({ signal }) =>
      getJson<ApiPage<AuditEntry>>('api/management/audit', { subject: id, limit: 10 }, signal),
  });
}

/**
 * The query for the name of the member who revoked each key, by key ID. The names are those at the time of
 * the revocation.
 */
export const keyRevokersQuery = queryOptions({
  queryKey: ['audit', 'revokers'],
  queryFn: async ({ signal }) => {
    const { data } = await getJson<ApiPage<AuditEntry>>(
      'api/management/audit',
      { action: 'keys.revoke', limit: 200 },
      signal,
    );
    return new Map(data.map((entry) => [entry.subject, formatActorName(entry)]));
  },
});

/**
 * The query for all limits and budgets of the organization. `findKeyLimitsAndBudgets` selects those that apply to a
 * key.
 */
export const limitsAndBudgetsQuery = queryOptions({
  queryKey: ['limits', 'with-budgets'],
  queryFn: async ({ signal }) => {
    const [limits, budgets] = await Promise.all([
      fetchAllRows<Limit>('api/management/limits', {}, signal),
      fetchAllRows<Budget>('api/management/budgets', {}, signal),
    ]);
    return { limits, budgets };
  },
});

/** Creates a platform key. Only this response contains the value of the key. */
export function createKey(key: KeyCreationInput, keys: IdempotencyKeys): Promise<CreatedKey> {
  return sendJson('POST', 'api/management/keys', key, { keys });
}

/**
 * Gives the key a new value. Only this response contains the new value. The old value stays valid for
 * `overlapHours` hours.
 */
export function rotateKey(id: string, overlapHours: number, keys: IdempotencyKeys): Promise<CreatedKey> {
  return sendJson('POST', `${buildKeyApiPath(id)}/rotate`, { overlap_hours: overlapHours }, { keys });
}

/** Expires the old value of a rotated key immediately. */
export function endKeyOverlap(id: string): Promise<KeyResource> {
  return sendJson('POST', `${buildKeyApiPath(id)}/end-overlap`);
}

/** Revokes a key. */
export function revokeKey(id: string): Promise<void> {
  return deleteResource(buildKeyApiPath(id));
}

/** Returns the API path of a key. */
export function buildKeyApiPath(id: string): string {
  return `api/management/keys/${encodeURIComponent(id)}`;
}
