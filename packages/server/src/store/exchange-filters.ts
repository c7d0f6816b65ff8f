import {
  CLIENT_ERROR_STATUS_RANGE,
  GATEWAY_FAILURE_CODES,
  UPSTREAM_FAILURE_CODES,
} from '@floe/contract/exchange-outcome';
import { type RawBuilder, sql } from 'kysely';
import { buildMetadataValueSql } from './metadata-value-sql.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/**
 * Accepted and excluded values of a column. The value must be in `any`, unless `any` is empty. The value must
 * not be in `none`.
 */
export interface ValueFilter {
  readonly any: readonly string[];
  readonly none: readonly string[];
  /** True: only rows with a value. False: only rows without one. */
  readonly present?: boolean | undefined;
}

/**
 * A range of numbers. Both ends are inclusive. A range without an end is unlimited in that
 * direction.
 */
export interface NumericRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A range of integers. Both ends are inclusive. */
export interface IntegerRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Accepted and excluded ranges of an integer column. The value must be in a range of `any`, unless `any` is
 * empty. The value must not be in a range of `none`.
 */
export interface IntegerRangeFilter {
  readonly any: readonly IntegerRange[];
  readonly none: readonly IntegerRange[];
}

/** The text columns that exchange lists can be filtered by. */
export const EXCHANGE_TEXT_FILTER_COLUMNS = [
  'route_mode',
  'surface',
  'provider',
  'model_requested',
  'state',
  'error_code',
  'error_source',
  'finish_reason',
  'cache',
  'team',
  'owner',
  'end_user',
  'client',
  'session',
  'usage_source',
] as const;
/** A text column that exchange lists can be filtered by. */
export type ExchangeTextFilterColumn = (typeof EXCHANGE_TEXT_FILTER_COLUMNS)[number];

/**
 * The numeric columns that exchange lists can be filtered by. `attempts` is the number of upstream
 * calls.
 */
export const EXCHANGE_NUMERIC_FILTER_COLUMNS = [
  'latency_ms',
  'first_token_ms',
  'overhead_ms',
  'cost_nano_usd',
  'input_tokens',
  'output_tokens',
  'attempts',
] as const;
/** A numeric column that exchange lists can be filtered by. */
export type ExchangeNumericFilterColumn = (typeof EXCHANGE_NUMERIC_FILTER_COLUMNS)[number];

/** Conditions on exchanges, other than time and organization. */
export interface ExchangeFilters {
  readonly textColumns?: { readonly [Column in ExchangeTextFilterColumn]?: ValueFilter | undefined };
  readonly numericColumns?: { readonly [Column in ExchangeNumericFilterColumn]?: NumericRange | undefined };
  /** Keys by id (`key_…`) or by their current name. */
  readonly key?: ValueFilter | undefined;
  /** The model that served the request, or the requested one. */
  readonly model?: ValueFilter | undefined;
  readonly status?: IntegerRangeFilter | undefined;
  /** Outcomes as `classifyExchangeOutcome` returns them, such as `succeeded` and `client_error`. */
  readonly outcome?: ValueFilter | undefined;
  readonly stream?: boolean | undefined;
  /** Whether request fields were dropped for a provider. */
  readonly dropped?: boolean | undefined;
  /** Accepted and excluded values by metadata key. */
  readonly metadata?: Readonly<Record<string, ValueFilter>>;
}

/** A condition of an SQL statement. */
export type SqlCondition = RawBuilder<boolean>;

/** An SQL condition, and the name of the filter that it implements. */
export interface ExchangeFilterCondition {
  readonly filter: string;
  readonly condition: SqlCondition;
}

/**
 * Converts filters to SQL conditions on rows of `exchanges`. `keys` replaces the filter `key`. Each condition
 * names its filter, so that a query that scans an index can omit the conditions that the index already
 * satisfies.
 */
export function buildExchangeFilterConditions(
  reader: DatabaseReader,
  filters: ExchangeFilters,
  keys: ValueFilter | undefined,
): ExchangeFilterCondition[] {
  const found: ExchangeFilterCondition[] = [];
  const add = (filter: string, conditions: readonly SqlCondition[]) => {
    for (const condition of conditions) found.push({ filter, condition });
  };
  for (const column of EXCHANGE_TEXT_FILTER_COLUMNS)
    add(column, valueConditions(sql.ref(column), filters.textColumns?.[column]));
  for (const column of EXCHANGE_NUMERIC_FILTER_COLUMNS)
    add(column, rangeConditions(column, filters.numericColumns?.[column]));
  add('key', valueConditions(sql.ref('key_id'), keys));
  add('model', modelConditions(filters.model));
  add('status', statusConditions(filters.status));
  add('outcome', valueConditions(OUTCOME_SQL, filters.outcome));
  if (filters.stream !== undefined) add('stream', [sql`stream = ${filters.stream ? 1 : 0}`]);
  if (filters.dropped !== undefined)
    add('dropped', [filters.dropped ? sql`dropped_json is not null` : sql`dropped_json is null`]);
  for (const [name, choice] of Object.entries(filters.metadata ?? {}))
    add(formatMetadataFilterName(name), valueConditions(buildMetadataValueSql(reader, name), choice));
  return found;
}

/** Returns the filter name for a metadata key. */
export function formatMetadataFilterName(name: string): string {
  return `metadata.${name}`;
}

/** The SQL expression for the outcome of a row. It corresponds to `classifyExchangeOutcome`. */
export const OUTCOME_SQL: RawBuilder<string> = sql`case
  when state = 'complete' then 'succeeded'
  when state in ('cached', 'blocked', 'partial', 'aborted') then state
  when error_code in (${joinLiterals(GATEWAY_FAILURE_CODES)}) then 'gateway_error'
  when error_code in (${joinLiterals(UPSTREAM_FAILURE_CODES)}) then 'upstream_error'
  when status between ${sql.lit(CLIENT_ERROR_STATUS_RANGE.from)} and ${sql.lit(CLIENT_ERROR_STATUS_RANGE.to)}
    and status <> ${sql.lit(CLIENT_ERROR_STATUS_RANGE.except)} then 'client_error'
  else 'upstream_error' end`;

/** Returns SQL string literals, separated by commas. */
export function joinLiterals(values: readonly string[]): RawBuilder<unknown> {
  return sql.join(values.map((value) => sql.lit(value)));
}

function valueConditions(column: RawBuilder<unknown>, choice: ValueFilter | undefined): SqlCondition[] {
  if (!choice) return [];
  const found: SqlCondition[] = [];
  if (choice.any.length > 0) found.push(sql`${column} in (${sql.join(choice.any)})`);
  if (choice.none.length > 0)
    found.push(sql`(${column} is null or ${column} not in (${sql.join(choice.none)}))`);
  if (choice.present !== undefined)
    found.push(choice.present ? sql`${column} is not null` : sql`${column} is null`);
  return found;
}

function rangeConditions(
  column: ExchangeNumericFilterColumn,
  bounds: NumericRange | undefined,
): SqlCondition[] {
  if (!bounds) return [];
  const value = column === 'attempts' ? sql`json_array_length(attempts_json)` : sql.ref(column);
  const found: SqlCondition[] = [];
  if (bounds.from !== undefined) found.push(sql`${value} >= ${numberLiteral(bounds.from)}`);
  if (bounds.to !== undefined) found.push(sql`${value} <= ${numberLiteral(bounds.to)}`);
  return found;
}

/**
 * Returns a number as an SQL literal. PostgreSQL would give a parameter the type of the column, and 0.5 is
 * not an integer.
 */
function numberLiteral(value: number) {
  return sql`cast(${value} as double precision)`;
}

function modelConditions(choice: ValueFilter | undefined): SqlCondition[] {
  if (!choice) return [];
  const served = sql.ref('model');
  const asked = sql.ref('model_requested');
  const { any, none } = choice;
  const found = valueConditions(served, { ...choice, any: [], none: [] });
  if (any.length > 0) {
    const byProvider = any.flatMap(buildServedModelConditions).map((one) => sql` or ${one}`);
    found.push(
      sql`(${served} in (${sql.join(any)}) or ${asked} in (${sql.join(any)})${sql.join(byProvider, sql``)})`,
    );
  }
  if (none.length > 0) {
    found.push(...valueConditions(served, { any: [], none }), ...valueConditions(asked, { any: [], none }));
    for (const one of none.flatMap(buildServedModelConditions)) found.push(sql`coalesce(not ${one}, true)`);
  }
  return found;
}

/**
 * Returns the SQL condition for the served model `<provider>/<model>`, on its two indexed columns. Returns an empty
 * list if the name contains no provider.
 */
export function buildServedModelConditions(name: string): SqlCondition[] {
  const slash = name.indexOf('/');
  if (slash < 1) return [];
  return [sql`(provider = ${name.slice(0, slash)} and model = ${name.slice(slash + 1)})`];
}

function statusConditions(choice: IntegerRangeFilter | undefined): SqlCondition[] {
  if (!choice) return [];
  const found: SqlCondition[] = [];
  const within = (ranges: IntegerRangeFilter['any']) =>
    sql.join(
      ranges.map(({ from, to }) => sql`(status >= ${from} and status <= ${to})`),
      sql` or `,
    );
  if (choice.any.length > 0) found.push(sql`(${within(choice.any)})`);
  if (choice.none.length > 0) found.push(sql`not (${within(choice.none)})`);
  return found;
}
