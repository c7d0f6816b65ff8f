import { sql } from 'kysely';
import { buildContainsTextCondition, type PageRequest, type RowPage } from '../pagination.ts';
import type { DatabaseReader } from '../store-interfaces.ts';
import { buildResidualEqualityCondition, getScannedPage } from '../time-scan.ts';
import type { RelayDecisionsTable } from './relay-tables.ts';

/** A decision without its event, which can be long. */
export type RelayDecisionRow = Omit<RelayDecisionsTable, 'event_json'>;

const LISTED_COLUMNS = [
  'id',
  'org_id',
  'created_at',
  'event',
  'decision',
  'enforced_decision',
  'rule',
  'mode',
  'input_summary',
  'session_id',
  'agent',
  'agent_version',
  'client_version',
  'key_id',
  'key_name',
  'team',
  'owner',
  'repository',
  'cwd',
  'reason',
  'user_message',
  'agent_message',
  'matches_json',
  'findings_json',
  'approval_id',
  'latency_us',
] as const satisfies readonly (keyof RelayDecisionRow)[];

export interface RelayDecisionFilters {
  readonly decision?: string | undefined;
  readonly enforced_decision?: string | undefined;
  readonly event?: string | undefined;
  readonly rule?: string | undefined;
  readonly mode?: string | undefined;
  readonly agent?: string | undefined;
  readonly key?: string | undefined;
  readonly owner?: string | undefined;
  readonly repository?: string | undefined;
  readonly session?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** A text that `what` contains, case-insensitive. */
  readonly q?: string | undefined;
}

/** The filters that an index satisfies, the most selective one first. */
const INDEXED_COLUMNS = ['session_id', 'rule', 'decision', 'key_name'] as const;
const OTHER_COLUMNS = ['enforced_decision', 'event', 'mode', 'agent', 'owner', 'repository'] as const;
/** The most frequent decision. Its index is almost as long as the table. */
const COMMON_DECISION = 'allow';

/**
 * Returns a page of an organization's decisions that match all filters, newest first. An index satisfies one
 * filter. Each page checks the other filters on a limited number of decisions. The page can therefore contain
 * fewer decisions than requested, or none, and still have a cursor.
 */
export function getRelayDecisionPage(
  reader: DatabaseReader,
  request: PageRequest & RelayDecisionFilters,
  maxScannedRows?: number,
): Promise<RowPage<RelayDecisionRow>> {
  const { key, session, decision, q } = request;
  const wanted = { ...request, key_name: key, session_id: session };
  const given = INDEXED_COLUMNS.filter((column) => wanted[column] !== undefined);
  const isRare = (column: (typeof given)[number]) => column !== 'decision' || decision !== COMMON_DECISION;
  const indexed = given.find(isRare) ?? given[0];
  const others = [...given, ...OTHER_COLUMNS].filter(
    (column) => column !== indexed && wanted[column] !== undefined,
  );
  const text = q === undefined ? [] : [buildContainsTextCondition(['input_summary'], q)];
  return getScannedPage<RelayDecisionRow>(reader, {
    ...request,
    table: { name: 'relay_decisions', at: 'created_at' },
    indexScans: [indexed === undefined ? sql`true` : sql`${sql.ref(indexed)} = ${wanted[indexed]}`],
    residualConditions: [
      ...others.map((column) => buildResidualEqualityCondition(column, wanted[column])),
      ...text,
    ],
    columns: LISTED_COLUMNS,
    maxScannedRows,
  });
}

export function findRelayDecisionById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<RelayDecisionRow | undefined> {
  return reader
    .selectFrom('relay_decisions')
    .select(LISTED_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The columns of a stored decision that a replay reads. */
export type ReplayableDecisionRow = Pick<RelayDecisionsTable, (typeof REPLAYED_COLUMNS)[number]>;

const REPLAYED_COLUMNS = [
  'id',
  'created_at',
  'enforced_decision',
  'rule',
  'input_summary',
  'key_name',
  'team',
  'owner',
] as const;

/** Returns up to `limit` of an organization's decisions since `fromMs`, newest first, without their events. */
export function listRelayDecisionsSince(
  reader: DatabaseReader,
  orgId: string,
  fromMs: number,
  limit: number,
): Promise<ReplayableDecisionRow[]> {
  return reader
    .selectFrom('relay_decisions')
    .select(REPLAYED_COLUMNS)
    .where('org_id', '=', orgId)
    .where('created_at', '>=', fromMs)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Returns the stored events of an organization's decisions, in JSON by decision id. Omits decisions without an event.
 */
export async function listRelayDecisionEvents(
  reader: DatabaseReader,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('relay_decisions')
    .select(['id', 'event_json'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.flatMap(({ id, event_json }) => (event_json === null ? [] : [[id, event_json]])));
}

/**
 * Returns the number of an organization's decisions since `fromMs` by rule. Counts at most `maxCountedRows`
 * decisions of each rule. Omits rules without decisions. Reads only the index of rules, one rule after the other.
 */
export async function countRelayDecisionsByRule(
  reader: DatabaseReader,
  orgId: string,
  fromMs: number,
  maxCountedRows: number,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ rule: string; hits: number }>`
    with recursive names(rule) as (
      select min(rule) from relay_decisions where org_id = ${orgId}
      union all
      select (select min(d.rule) from relay_decisions as d where d.org_id = ${orgId} and d.rule > names.rule)
      from names where names.rule is not null)
    select names.rule, (select count(*) from (select 1 from relay_decisions as d
      where d.org_id = ${orgId} and d.rule = names.rule and d.created_at >= ${fromMs}
      limit ${maxCountedRows}) as counted) as hits
    from names where names.rule is not null`.execute(reader);
  return new Map(rows.flatMap(({ rule, hits }) => (hits > 0 ? [[rule, Number(hits)]] : [])));
}
