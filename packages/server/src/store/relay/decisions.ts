import { type SelectQueryBuilder, sql } from 'kysely';
import { encodeCursor, inTime, newestPage, type Page, type PageRequest, type Position } from '../pages.ts';
import type { Reader } from '../ports.ts';
import type { Schema } from '../schema.ts';
import type { RelayDecisionsTable } from './tables.ts';

export type DecisionRow = RelayDecisionsTable;

export interface DecisionFilters {
  readonly decision?: string | undefined;
  readonly would?: string | undefined;
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
  /** Stands somewhere in `what`, whatever its case. */
  readonly q?: string | undefined;
}

/** Rows looked at for one page when a text is looked for, which no index holds. */
const ROWS_SCANNED = 20_000;

type Query = SelectQueryBuilder<Schema, 'relay_decisions', DecisionRow>;

/**
 * Decisions of an org that pass every filter, newest first. With `q` a page looks at 20,000 rows: it may hold fewer than
 * asked for, even none, while its cursor leads on.
 */
export async function decisionPage(
  reader: Reader,
  request: PageRequest & DecisionFilters,
): Promise<Page<DecisionRow>> {
  const { limit, q } = request;
  const rows = filtered(reader.selectFrom('relay_decisions').selectAll(), request);
  if (q === undefined) return newestPage(rows, 'created_at', limit);
  const end = await rows
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(ROWS_SCANNED - 1)
    .limit(1)
    .executeTakeFirst();
  const wanted = `%${q.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  let found = rows.where(sql<boolean>`lower(what) like ${wanted} escape '\\'`);
  if (end) found = found.where(notBefore(positionOf(end)));
  const page = await newestPage(found, 'created_at', limit);
  return page.nextCursor === null && end ? { ...page, nextCursor: encodeCursor(positionOf(end)) } : page;
}

export function decisionById(reader: Reader, orgId: string, id: string): Promise<DecisionRow | undefined> {
  return reader
    .selectFrom('relay_decisions')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The newest decisions since `fromMs` whose events were kept. */
export function keptDecisions(
  reader: Reader,
  orgId: string,
  fromMs: number,
  limit: number,
): Promise<DecisionRow[]> {
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

/** Decisions by their rule since `fromMs`, among the newest. */
export async function hitsByRule(
  reader: Reader,
  orgId: string,
  fromMs: number,
  lookedAt: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('relay_decisions')
    .select('rule')
    .where('org_id', '=', orgId)
    .where('created_at', '>=', fromMs)
    .where('rule', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(lookedAt)
    .execute();
  const hits = new Map<string, number>();
  for (const { rule } of rows) if (rule !== null) hits.set(rule, (hits.get(rule) ?? 0) + 1);
  return hits;
}

function positionOf(row: DecisionRow): Position {
  return { at: row.created_at, id: row.id };
}

function filtered(all: Query, request: PageRequest & DecisionFilters): Query {
  const { orgId, key, session } = request;
  let query = all.where('org_id', '=', orgId);
  for (const column of [
    'decision',
    'would',
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
  return inTime(query, 'created_at', request);
}

function notBefore({ at, id }: Position) {
  return sql<boolean>`(created_at >= ${at} and (created_at, id) >= (${at}, ${id}))`;
}
