import { sql } from 'kysely';
import { AUDIT_CHAIN_START_HASH, computeAuditEntryHash } from './audit-chain.ts';
import { getAuditKey, getAuditOrigin } from './audit-context.ts';
import type { AuditTable } from './key-and-audit-tables.ts';
import { publishLiveEvent } from './live-events.ts';

import type { PageRequest, RowPage, TimeRangeRequest } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';
import { buildResidualEqualityCondition, getScannedPage } from './time-scan.ts';

export type AuditEntryRow = AuditTable;

/** An audit entry before it is added to the chain. */
export type NewAuditEntry = Omit<
  AuditEntryRow,
  'seq' | 'hash' | 'actor_name' | 'reason' | 'ip_address' | 'session_id'
> &
  Partial<Pick<AuditEntryRow, 'actor_name' | 'reason'>>;

/** Maximum number of entries that are published individually to event streams. */
const MAX_PUBLISHED_ENTRIES = 100;
/** Maximum number of rows per statement. Each row has 15 columns, and SQLite accepts 32,766 parameters. */
const ROWS_PER_STATEMENT = 100;

/**
 * Appends an audit entry in the transaction that makes the change. The transaction must come from
 * `Database.transaction`. Such transactions run one at a time across all processes, so that each
 * entry has exactly one successor. Stores the transaction's origin (`setAuditOrigin`) and publishes
 * the entry to event streams.
 */
export function appendAuditEntry(writer: DatabaseWriter, entry: NewAuditEntry): Promise<void> {
  return appendAuditEntries(writer, [entry]);
}

/** Appends several audit entries in order, as `appendAuditEntry` does. */
export async function appendAuditEntries(
  writer: DatabaseWriter,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  for (const [orgId, own] of Map.groupBy(entries, ({ org_id }) => org_id))
    await appendToChain(writer, orgId, own);
}

/** Returns the sequence number and the hash of the last entry in an organization's audit chain. */
export function findLastAuditEntry(
  reader: DatabaseReader,
  orgId: string,
): Promise<Pick<AuditEntryRow, 'seq' | 'hash'> | undefined> {
  return reader
    .selectFrom('audit')
    .select(['seq', 'hash'])
    .where('org_id', '=', orgId)
    .where('seq', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function appendToChain(
  writer: DatabaseWriter,
  orgId: string,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  const last = await findLastAuditEntry(writer, orgId);
  const { address, sessionId } = getAuditOrigin(writer);
  const key = getAuditKey(writer);
  let [seq, hash] = [Number(last?.seq ?? 0), last?.hash ?? AUDIT_CHAIN_START_HASH];
  const place = (entry: NewAuditEntry) => {
    seq += 1;
    const placed = {
      ...entry,
      actor_name: entry.actor_name ?? null,
      reason: entry.reason ?? null,
      ip_address: address,
      session_id: sessionId,
      seq,
    };
    hash = computeAuditEntryHash(key, hash, placed);
    return { ...placed, hash };
  };
  for (let at = 0; at < entries.length; at += ROWS_PER_STATEMENT)
    await writer
      .insertInto('audit')
      .values(entries.slice(at, at + ROWS_PER_STATEMENT).map(place))
      .execute();
  for (const { id, at, actor, action, subject } of entries.slice(0, MAX_PUBLISHED_ENTRIES))
    await publishLiveEvent(writer, { orgId, topic: 'audit', at, data: { id, at, actor, action, subject } });
}

/** Conditions on audit entries. A condition that is undefined matches every entry. */
export interface AuditEntryFilters {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** Kinds of resources: the part of an action before the dot. Matches any of them. */
  readonly kinds?: readonly string[] | undefined;
}

/**
 * Returns a page of an organization's audit entries that match all filters, newest first. One filter
 * uses an index. Each page checks the other filters on a limited number of entries. A page can therefore contain
 * fewer entries than requested, or none, although it has a cursor.
 */
export function getAuditEntryPage(
  reader: DatabaseReader,
  request: PageRequest & TimeRangeRequest & AuditEntryFilters,
  maxScannedRows?: number,
): Promise<RowPage<AuditEntryRow>> {
  const { kinds } = request;
  // The most selective one first.
  const [first, ...others] = (['subject', 'actor', 'action'] as const).filter(
    (column) => request[column] !== undefined,
  );
  const residual = others.map((column) => buildResidualEqualityCondition(column, request[column]));
  // The part of the action before the operation: `routes.` of `routes.update`.
  const kind = sql<string>`rtrim(action, 'abcdefghijklmnopqrstuvwxyz_')`;
  const ofKinds = kinds?.map((name) => sql<boolean>`${kind} = ${`${name}.`}`);
  return getScannedPage<AuditEntryRow>(reader, {
    ...request,
    table: { name: 'audit', at: 'at' },
    indexScans: first
      ? [sql<boolean>`${sql.ref(first)} = ${request[first]}`]
      : (ofKinds ?? [sql<boolean>`true`]),
    residualConditions:
      first && ofKinds ? [...residual, sql<boolean>`(${sql.join(ofKinds, sql` or `)})`] : residual,
    maxScannedRows,
  });
}
