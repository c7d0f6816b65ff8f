import { sql } from 'kysely';
import {
  buildServedModelConditions,
  type ExchangeFilters,
  type IntegerRangeFilter,
  type SqlCondition,
  type ValueFilter,
} from './exchange-filters.ts';

/** How to find exchange rows, newest first: one index scan for each element of `conditions`. */
export interface ExchangeScanPlan {
  readonly conditions: readonly SqlCondition[];
  /** The filter that the scans satisfy, or what they satisfy of it. Null if they read all rows. */
  readonly coveredFilter: string | null;
}

/** Most rows have this route mode, so `exchanges_by_route_mode` indexes only the others. */
const COMMON_ROUTE_MODE = 'unified';
/** Most rows have this state, so `exchanges_by_state` indexes only the others. */
const COMMON_STATE = 'complete';
/** The outcome of rows with the most common state. */
const COMMON_OUTCOME = 'succeeded';
/** Most requests succeed, so `exchanges_by_status` indexes only the other status classes. */
const COMMON_STATUS_CLASS = 2;
/**
 * Maximum number of scans, each of which is a query. A filter with more values is checked on all rows
 * instead.
 */
const MAX_SCANS = 20;

/**
 * Chooses the index that is likely to read the fewest rows, based on how selective each filter
 * usually is.
 */
export function planExchangeScan(filters: ExchangeFilters, keys: ValueFilter | undefined): ExchangeScanPlan {
  const { textColumns = {}, model, status, outcome } = filters;
  const candidates: readonly ExchangeScanPlan[] = [
    buildScanPlan(
      'state',
      rareValues(textColumns.state, COMMON_STATE),
      (value) => sql`state = ${value} and state <> 'complete'`,
    ),
    // The index has no outcomes, so that the outcome is checked on the rows of its state.
    buildScanPlan(
      'state of the outcome',
      statesOfOutcomes(rareValues(outcome, COMMON_OUTCOME)),
      (value) => sql`state = ${value} and state <> 'complete'`,
    ),
    buildScanPlan('status', rareRanges(status), ({ from, to }) => {
      const first = Math.floor(from / 100);
      const between = sql`status >= ${from} and status <= ${to}`;
      return sql`status / 100 = ${first} and (status < 200 or status >= 300) and ${between}`;
    }),
    buildScanPlan(
      'route_mode',
      rareValues(textColumns.route_mode, COMMON_ROUTE_MODE),
      (value) => sql`route_mode = ${value} and route_mode <> 'unified'`,
    ),
    buildScanPlan('key', requiredValues(keys), (id) => sql`key_id = ${id}`),
    buildScanPlan(
      'session',
      requiredValues(textColumns.session),
      (value) => sql`session = ${value} and session is not null`,
    ),
    buildScanPlan('model', modelConditions(model), (condition) => condition),
    buildScanPlan(
      'model_requested',
      requiredValues(textColumns.model_requested),
      (value) => sql`model_requested = ${value}`,
    ),
    buildScanPlan('provider', requiredValues(textColumns.provider), (value) => sql`provider = ${value}`),
  ];
  return candidates.find(({ coveredFilter }) => coveredFilter !== null) ?? FULL_SCAN;
}

/**
 * Returns the condition of a single index scan that finds all matching rows. Returns null if there is none.
 */
export function findSingleScanCondition(
  filters: ExchangeFilters,
  keys: ValueFilter | undefined,
): SqlCondition | null {
  const { conditions, coveredFilter } = planExchangeScan(filters, keys);
  const [only = null, ...others] = conditions;
  return coveredFilter === null || others.length > 0 ? null : only;
}

const FULL_SCAN: ExchangeScanPlan = { conditions: [sql`true`], coveredFilter: null };

function buildScanPlan<Value>(
  answers: string,
  values: readonly Value[] | null,
  condition: (value: Value) => SqlCondition,
): ExchangeScanPlan {
  if (values === null || values.length === 0 || values.length > MAX_SCANS) return FULL_SCAN;
  return { coveredFilter: answers, conditions: values.map(condition) };
}

/** Returns the values for an index scan; null if the filter has other conditions. */
function requiredValues(choice: ValueFilter | undefined): readonly string[] | null {
  if (!choice || choice.none.length > 0 || choice.present !== undefined) return null;
  return [...new Set(choice.any)];
}

function statesOfOutcomes(outcomes: readonly string[] | null): readonly string[] | null {
  return outcomes && [...new Set(outcomes.map((value) => (value.endsWith('_error') ? 'failed' : value)))];
}

function rareValues(choice: ValueFilter | undefined, common: string): readonly string[] | null {
  const values = requiredValues(choice);
  return values?.includes(common) ? null : values;
}

/** Returns the ranges if each is within one status class that is indexed; otherwise null. */
function rareRanges(choice: IntegerRangeFilter | undefined): IntegerRangeFilter['any'] | null {
  if (!choice || choice.none.length > 0) return null;
  const isRare = ({ from, to }: IntegerRangeFilter['any'][number]) => {
    const [first, last] = [Math.floor(from / 100), Math.floor(to / 100)];
    return first === last && first !== COMMON_STATUS_CLASS;
  };
  return choice.any.every(isRare) ? choice.any : null;
}

/** Returns the conditions for a model that served, a requested model, or all models of a provider. */
function modelConditions(choice: ValueFilter | undefined): readonly SqlCondition[] | null {
  const found = requiredValues(choice)?.flatMap((value) => [
    sql<boolean>`model = ${value}`,
    sql<boolean>`model_requested = ${value}`,
    ...buildServedModelConditions(value),
  ]);
  return found ?? null;
}
