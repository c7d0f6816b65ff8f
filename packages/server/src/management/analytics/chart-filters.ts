import { requestFilterQuery } from '@floe/contract/api/analytics';
import { type ChartShape, facetOf, isFacet, requireFewRows } from '../../analytics/chart-request.ts';
import { conditionsOf, type ExchangeFilters } from '../../store/exchange-filters.ts';
import { keysOf } from '../../store/exchanges.ts';
import type { Reader } from '../../store/ports.ts';
import { type FacetFilter, isPair } from '../../store/rollups/read.ts';
import { filtersOf } from '../requests/request-filters.ts';
import type { VerbContext } from '../verb.ts';
import { type ChartQuery, chartRange } from './chart-range.ts';

/**
 * What a chart with the filters of the list is about. Rollups answer where they hold one filter alone, or together
 * with the grouping; otherwise rows are counted, exactly those that the list shows.
 *
 * @throws Fault `invalid_request` as `chartRange` and `requireFewRows`
 */
export async function chartOf(
  context: VerbContext & { readonly reader: Reader },
  orgZone: string,
  query: ChartQuery,
  shape: Pick<ChartShape, 'groupBy' | 'interval'> & { readonly isPercentile?: boolean } = {},
) {
  const filters = Object.entries(query).filter(([name, value]) => isFilter(name) && value !== undefined);
  const filter = rollupFilter(filters, shape);
  if (filters.length === 0 || filter) return chartRange(context, orgZone, query, { ...shape, filter });
  const range = chartRange(context, orgZone, query, { ...shape, isOfRows: true });
  await requireFewRows(context.reader, range, query.compare !== undefined);
  const wanted = exchangeFilters(filters);
  const keys = await keysOf(context.reader, { orgId: context.orgId, ...wanted });
  const conditions = conditionsOf(wanted, keys).map(({ condition }) => condition);
  return { ...range, minutesSince: undefined, conditions };
}

type Given = readonly (readonly [name: string, value: unknown])[];

function isFilter(name: string): boolean {
  return isFacet(name) || Object.hasOwn(requestFilterQuery.shape, name);
}

/** The filter, where a rollup holds it and means by it what the list does. */
function rollupFilter(
  filters: Given,
  {
    groupBy,
    isPercentile = false,
  }: { readonly groupBy?: string | undefined; readonly isPercentile?: boolean },
): FacetFilter | undefined {
  const [first, second] = filters;
  if (!first || second) return undefined;
  const [name, value] = first;
  // The list finds a model by what was asked for too.
  if (!isFacet(name) || name === 'model') return undefined;
  const values = listOf(value);
  const isPlain = values.every((one) => /^!?[^!*=]/.test(one) || one === '');
  const isNamedKey = name === 'key' && values.some((one) => !/^!?key_/.test(one));
  // Rollups of metadata hold nothing of rows without the member.
  const isWithout = name.startsWith('metadata.') && values.some((one) => one === '' || one.startsWith('!'));
  if (!isPlain || isNamedKey || isWithout) return undefined;
  if (groupBy !== undefined && groupBy !== name && (isPercentile || !isPair(facetOf(groupBy), name)))
    return undefined;
  return {
    facet: name,
    any: values.filter((one) => !one.startsWith('!')),
    none: values.flatMap((one) => (one.startsWith('!') ? [one.slice(1)] : [])),
  };
}

/** As the list takes them; `status_class` is a status there, and nothing is `!*`. */
function exchangeFilters(filters: Given): ExchangeFilters {
  const asked: Record<string, string[]> = {};
  for (const [name, value] of filters) {
    const known = name === 'status_class' ? 'status' : name;
    asked[known] = [...(asked[known] ?? []), ...listOf(value).map((one) => (one === '' ? '!*' : one))];
  }
  const single = (name: string) => asked[name]?.[0];
  return filtersOf({ ...asked, stream: flagIn(single('stream')), dropped: flagIn(single('dropped')) });
}

function flagIn(value: string | undefined): 'true' | 'false' | undefined {
  return value === 'true' || value === 'false' ? value : undefined;
}

function listOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}
