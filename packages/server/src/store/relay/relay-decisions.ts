import { type SelectQueryBuilder, sql } from 'kysely';
import {
  encodeTimeCursor,
  filterRowsByTimeRange,
  getNewestPage,
  type PageRequest,
  type RowPage,
  type TimePosition,
} from '../pagination.ts';
import type { DatabaseReader } from '../ports.ts';
import type { DatabaseSchema } from '../schema.ts';
import type { RelayDecisionsTable } from './relay-tables.ts';

export type RelayDecisionRow = RelayDecisionsTable;

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

/** Maximum number of rows scanned for one page of a text search, because there is no index for it. */
const ROWS_SCANNED = 20_000;

type Query = SelectQueryBuilder<DatabaseSchema, 'relay_decisions', RelayDecisionRow>;

/**
 * Returns a page of an organization's decisions that match all filters, newest first. With the text search
 * `q`, at most 20,000 rows are scanned per page. Such a page may have fewer rows than requested, or even
 * none, and still have a cursor.
 */
export async function getRelayDecisionPage(
  reader: DatabaseReader,
  request: PageRequest & RelayDecisionFilters,
): Promise<RowPage<RelayDecisionRow>> {
  const { limit, q } = request;
  const rows = applyFilters(reader.selectFrom('relay_decisions').selectAll(), request);
  if (q === undefined) return getNewestPage(rows, 'created_at', limit);
  const end = await rows
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(ROWS_SCANNED - 1)
    .limit(1)
    .executeTakeFirst();
  const wanted = `%${q.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  let found = rows.where(sql<boolean>`lower(input_summary) like ${wanted} escape '\\'`);
  if (end) found = found.where(afterPosition(positionOf(end)));
  const page = await getNewestPage(found, 'created_at', limit);
  return page.nextCursor === null && end ? { ...page, nextCursor: encodeTimeCursor(positionOf(end)) } : page;
}

export function findRelayDecisionById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<RelayDecisionRow | undefined> {
  return reader
    .selectFrom('relay_decisions')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the newest decisions since `fromMs` whose events were stored. */
export function listRelayDecisionsWithEvents(
  reader: DatabaseReader,
  orgId: string,
  fromMs: number,
  limit: number,
): Promise<RelayDecisionRow[]> {
  return reader
    .selectFrom('relay_decisions')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('created_at', '>=', fromMs)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Returns the number of decisions by rule since `fromMs`. Counts only the newest `maxScannedRows` decisions.
 */
export async function countRelayDecisionsByRule(
  reader: DatabaseReader,
  orgId: string,
  fromMs: number,
  maxScannedRows: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('relay_decisions')
    .select('rule')
    .where('org_id', '=', orgId)
    .where('created_at', '>=', fromMs)
    .where('rule', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(maxScannedRows)
    .execute();
  const hits = new Map<string, number>();
  for (const { rule } of rows) if (rule !== null) hits.set(rule, (hits.get(rule) ?? 0) + 1);
  return hits;
}

function positionOf(row: RelayDecisionRow): TimePosition {
  return { at: row.created_at, id: row.id };
}

function applyFilters(all: Query, request: PageRequest & RelayDecisionFilters): Query {
  const { orgId, key, session } = request;
  let query = all.where('org_id', '=', orgId);
  for (const column of [
    'decision',
    'enforced_decision',
    'event',
    'rule',
    'mode',
    'agent',
    'owner',
    'repository',
  ] as const) {
    const wanted = request[column];
    if (wanted !== undefined) query = query.where(column, '=', wanted);
  }
  if (key !== undefined) query = query.where('key_name', '=', key);
  if (session !== undefined) query = query.where('session_id', '=', session);
  return filterRowsByTimeRange(query, 'created_at', request);
}

function afterPosition({ at, id }: TimePosition) {
  return sql<boolean>`(created_at >= ${at} and (created_at, id) >= (${at}, ${id}))`;
}
