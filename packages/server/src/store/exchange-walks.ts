import { sql } from 'kysely';
import {
  type Choice,
  type Condition,
  type ExchangeFilters,
  outcomeInSql,
  type RangeChoice,
  servedBy,
} from './exchange-filters.ts';

/** How to find rows newest first: along an index once for each of `conditions`. */
export interface Walks {
  readonly conditions: readonly Condition[];
  /** The filter that the walks answer; null when they are of all rows. */
  readonly answers: string | null;
}

/** Nearly every row has this one, so no index holds it: `exchanges_by_route_mode` holds the others. */
const COMMON_ROUTE_MODE = 'unified';
/** Likewise of states; `exchanges_by_state` holds the others. */
const COMMON_STATE = 'complete';
/** The outcome of that state. */
const COMMON_OUTCOME = 'succeeded';
/** What succeeds is nearly everything; `exchanges_by_status` holds the rest by class. */
const COMMON_STATUS_CLASS = 2;
/** Each walk is a query: a filter with more values is looked for among all rows. */
const MOST_WALKS = 20;

/** The index that leads to the fewest rows, by how rare its values commonly are. */
export function walksFor(filters: ExchangeFilters, keys: Choice | undefined): Walks {
  const { chosen = {}, model, status, outcome } = filters;
  const candidates: readonly Walks[] = [
    walks(
      'state',
      rare(chosen.state, COMMON_STATE),
      (value) => sql`state = ${value} and state <> 'complete'`,
    ),
    walks('outcome', rare(outcome, COMMON_OUTCOME), (value) => {
      const state = value.endsWith('_error') ? 'failed' : value;
      return sql`state = ${state} and state <> 'complete' and ${outcomeInSql} = ${value}`;
    }),
    walks('status', rareRanges(status), ({ from, to }) => {
      const first = Math.floor(from / 100);
      const between = sql`status >= ${from} and status <= ${to}`;
      return sql`status / 100 = ${first} and (status < 200 or status >= 300) and ${between}`;
    }),
    walks(
      'route_mode',
      rare(chosen.route_mode, COMMON_ROUTE_MODE),
      (value) => sql`route_mode = ${value} and route_mode <> 'unified'`,
    ),
    walks('key', plain(keys), (id) => sql`key_id = ${id}`),
    walks('session', plain(chosen.session), (value) => sql`session = ${value} and session is not null`),
    walks('model', modelsIn(model), (condition) => condition),
    walks('model_requested', plain(chosen.model_requested), (value) => sql`model_requested = ${value}`),
    walks('provider', plain(chosen.provider), (value) => sql`provider = ${value}`),
  ];
  return candidates.find(({ answers }) => answers !== null) ?? ALL;
}

const ALL: Walks = { conditions: [sql`true`], answers: null };

function walks<Value>(
  answers: string,
  values: readonly Value[] | null,
  condition: (value: Value) => Condition,
): Walks {
  if (values === null || values.length === 0 || values.length > MOST_WALKS) return ALL;
  return { answers, conditions: values.map(condition) };
}

/** Values an index can lead to; null where the filter says more than one of these. */
function plain(choice: Choice | undefined): readonly string[] | null {
  if (!choice || choice.none.length > 0 || choice.present !== undefined) return null;
  return [...new Set(choice.any)];
}

function rare(choice: Choice | undefined, common: string): readonly string[] | null {
  const values = plain(choice);
  return values?.includes(common) ? null : values;
}

/** Each range within one class of status that is not the common one. */
function rareRanges(choice: RangeChoice | undefined): RangeChoice['any'] | null {
  if (!choice || choice.none.length > 0) return null;
  const isRare = ({ from, to }: RangeChoice['any'][number]) => {
    const [first, last] = [Math.floor(from / 100), Math.floor(to / 100)];
    return first === last && first !== COMMON_STATUS_CLASS;
  };
  return choice.any.every(isRare) ? choice.any : null;
}

/** A model that served, one that was asked for, or one of a provider. */
function modelsIn(choice: Choice | undefined): readonly Condition[] | null {
  const found = plain(choice)?.flatMap((value) => [
    sql<boolean>`model = ${value}`,
    sql<boolean>`model_requested = ${value}`,
    ...servedBy(value),
  ]);
  return found ?? null;
}
