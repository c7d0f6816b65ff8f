import { requestFilterQuery } from '@floe/contract/api/analytics';
import {
  type ChartOptions,
  chooseChartRowCondition,
  isRollupFacet,
  requireRollupFacet,
} from '../../analytics/chart-request.ts';
import {
  buildExchangeFilterConditions,
  type ExchangeFilters,
  type ValueFilter,
} from '../../store/exchange-filters.ts';
import { findSingleScanCondition } from '../../store/exchange-scan-plan.ts';
import { resolveKeyFilter } from '../../store/exchanges.ts';
import { hasRollupPair, type RollupFacetFilter } from '../../store/rollups/read-rollups.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { OperationContext } from '../operation.ts';
import { parseRequestFilters } from '../requests/request-filters.ts';
import { type ChartQuery, resolveChartRange } from './chart-range.ts';

/**
 * Returns the time range and the filters of a chart. The chart can use rollups if it has no filter, or one filter that
 * the rollups support together with the grouping. Otherwise, it counts request log rows, with the same filters as the
 * request list.
 * @throws Fault `invalid_request` in the same cases as `resolveChartRange` and `chooseChartRowCondition`
 */
export async function resolveFilteredChartRequest(
  context: OperationContext & { readonly reader: DatabaseReader },
  orgZone: string,
  query: ChartQuery,
  shape: Pick<ChartOptions, 'groupBy' | 'interval'> & { readonly isPercentile?: boolean } = {},
) {
  const filters = Object.entries(query).filter(
    ([name, value]) => isRequestFilter(name) && value !== undefined,
  );
  const { reader, orgId } = context;
  const wanted = toListFilters(filters);
  const keys = await resolveKeyFilter(reader, { orgId, ...wanted });
  const filter = findRollupFilter(withKeyIds(filters, keys), shape);
  if (filters.length === 0 || filter) return resolveChartRange(context, orgZone, query, { ...shape, filter });
  const range = resolveChartRange(context, orgZone, query, { ...shape, readsRows: true });
  const rows = await chooseChartRowCondition(reader, range, {
    includesPrevious: query.compare !== undefined,
    indexed: findSingleScanCondition(wanted, keys),
  });
  const conditions = buildExchangeFilterConditions(reader, wanted, keys).map(({ condition }) => condition);
  return { ...range, minutesSince: undefined, conditions: [rows, ...conditions] };
}

/** Replaces names of keys by their ids, by which rollups count. */
function withKeyIds(filters: FilterEntries, keys: ValueFilter | undefined): FilterEntries {
  if (keys === undefined || keys.present !== undefined) return filters;
  const ids = [...keys.any, ...keys.none.map((id) => `!${id}`)];
  return filters.map(([name, value]) => [name, name === 'key' ? ids : value]);
}

type FilterEntries = readonly (readonly [name: string, value: unknown])[];

function isRequestFilter(name: string): boolean {
  return isRollupFacet(name) || Object.hasOwn(requestFilterQuery.shape, name);
}

/** The filter for rollups, if they can evaluate it with the same meaning as the list. */
function findRollupFilter(
  filters: FilterEntries,
  {
    groupBy,
    isPercentile = false,
  }: { readonly groupBy?: string | undefined; readonly isPercentile?: boolean },
): RollupFacetFilter | undefined {
  const [first, second] = filters;
  if (!first || second) return undefined;
  const [name, value] = first;
  // The list also matches a model by the requested name.
  if (!isRollupFacet(name) || name === 'model') return undefined;
  const values = toStringList(value);
  const isPlain = values.every((one) => /^!?[^!*=]/.test(one) || one === '');
  // Rollups of metadata do not count rows without the member.
  const isWithout = name.startsWith('metadata.') && values.some((one) => one === '' || one.startsWith('!'));
  if (!isPlain || isWithout) return undefined;
  if (
    groupBy !== undefined &&
    groupBy !== name &&
    (isPercentile || !hasRollupPair(requireRollupFacet(groupBy), name))
  )
    return undefined;
  return {
    facet: name,
    any: values.filter((one) => !one.startsWith('!')),
    none: values.flatMap((one) => (one.startsWith('!') ? [one.slice(1)] : [])),
  };
}

/**
 * Converts filters to those of the list. `status_class` becomes a status, and an empty value becomes `!*`.
 */
function toListFilters(filters: FilterEntries): ExchangeFilters {
  const asked: Record<string, string[]> = {};
  for (const [name, value] of filters) {
    const known = name === 'status_class' ? 'status' : name;
    asked[known] = [...(asked[known] ?? []), ...toStringList(value).map((one) => (one === '' ? '!*' : one))];
  }
  const single = (name: string) => asked[name]?.[0];
  return parseRequestFilters({
    ...asked,
    stream: parseFlag(single('stream')),
    dropped: parseFlag(single('dropped')),
  });
}

function parseFlag(value: string | undefined): 'true' | 'false' | undefined {
  return value === 'true' || value === 'false' ? value : undefined;
}

function toStringList(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}
