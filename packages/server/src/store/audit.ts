import { createHash } from 'node:crypto';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { AuditTable } from './key-tables.ts';
import { tellLive } from './live-events.ts';

import { decodeCursor, type Page, type PageRequest, toPage } from './pages.ts';
import type { Reader, Writer } from './ports.ts';
import type { Schema } from './schema.ts';

export type AuditRow = AuditTable;

/** An entry before it has its place in the chain. */
export type NewAudit = Omit<AuditRow, 'seq' | 'hash' | 'actor_name' | 'reason'> &
  Partial<Pick<AuditRow, 'actor_name' | 'reason'>>;

/** What the first entry of a chain stands on. */
const NO_ENTRY = '';

/** Of so many entries at once each is told to those who watch. */
const ENTRIES_TOLD = 100;
/** Of 13 columns each; SQLite takes 32,766 parameters. */
const ROWS_PER_STATEMENT = 500;

/**
 * Belongs in the transaction of the change it records, which must be one of `Database.transaction`: those are
 * serialised over all processes, so no two entries stand on the same one. Whoever watches the org hears of it.
 */
export function appendAudit(writer: Writer, entry: NewAudit): Promise<void> {
  return appendAudits(writer, [entry]);
}

/** As `appendAudit`, for many, in their order. */
export async function appendAudits(writer: Writer, entries: readonly NewAudit[]): Promise<void> {
  for (const [orgId, own] of Map.groupBy(entries, ({ org_id }) => org_id))
    await appendToChain(writer, orgId, own);
}

async function appendToChain(writer: Writer, orgId: string, entries: readonly NewAudit[]): Promise<void> {
  const last = await writer
    .selectFrom('audit')
    .select(['seq', 'hash'])
    .where('org_id', '=', orgId)
    .where('seq', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  let [seq, hash] = [Number(last?.seq ?? 0), last?.hash ?? NO_ENTRY];
  const rows = entries.map((entry) => {
    seq += 1;
    const placed = { ...entry, actor_name: entry.actor_name ?? null, reason: entry.reason ?? null, seq };
    hash = chainHash(hash, placed);
    return { ...placed, hash };
  });
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await writer
      .insertInto('audit')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
  for (const { id, at, actor, action, subject } of entries.slice(0, ENTRIES_TOLD))
    await tellLive(writer, { orgId, topic: 'audit', at, data: { id, at, actor, action, subject } });
}

/**
 * SHA-256, hex, over the hash of the entry before and every column, as a JSON list in this order. A reason is in it
 * where there is one: entries from before there were reasons keep their hash.
 */
export function chainHash(previous: string, entry: Omit<AuditRow, 'hash'>): string {
  const { seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json, reason } = entry;
  const fields = [seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json];
  if (reason !== null) fields.push(reason);
  return createHash('sha256')
    .update(JSON.stringify([previous, ...fields]))
    .digest('hex');
}

export interface AuditFilters {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** What actions begin with, up to their dot: any of these. */
  readonly kinds?: readonly string[] | undefined;
  /** Milliseconds, included. */
  readonly from?: number | undefined;
  /** Milliseconds, not included. */
  readonly to?: number | undefined;
}

/** By their ids, of which the index `audit_by_kind` is made: SQLite would walk over the whole time instead. */
function ofKinds(
  reader: Reader,
  passing: SelectQueryBuilder<Schema, 'audit', unknown>,
  kinds: readonly string[],
) {
  // An action without its verb: `routes.` of `routes.update`.
  const kind = sql<string>`rtrim(action, 'abcdefghijklmnopqrstuvwxyz_')`;
  const wanted = kinds.map((name) => `${name}.`);
  return reader.selectFrom('audit').where('id', 'in', passing.where(kind, 'in', wanted).select('id'));
}

/** An org's audit entries that pass every filter, newest first. */
export async function auditPage(
  reader: Reader,
  request: PageRequest & AuditFilters,
): Promise<Page<AuditRow>> {
  let passing = reader.selectFrom('audit').where('org_id', '=', request.orgId);
  for (const column of ['actor', 'action', 'subject'] as const) {
    const value = request[column];
    if (value !== undefined) passing = passing.where(column, '=', value);
  }
  if (request.from !== undefined) passing = passing.where('at', '>=', request.from);
  if (request.to !== undefined) passing = passing.where('at', '<', request.to);
  if (request.cursor !== undefined) {
    const { at, id } = decodeCursor(request.cursor);
    passing = passing.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(at, id)));
  }
  const query = request.kinds ? ofKinds(reader, passing, request.kinds) : passing;
  const rows = await query
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return toPage(rows, request.limit, (row) => ({ at: row.at, id: row.id }));
}

export interface ChainState {
  readonly entries: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly lastHash: string | null;
  /** Place of the first entry that does not fit; null when all do. */
  readonly brokenAt: number | null;
}

/** So few that a chain of 100,000 holds up what else this process does for 10 ms at a time, not for 40; it takes no longer. */
const ENTRIES_PER_READ = 250;

/**
 * Looks at every kept entry of an org's chain. The hash of the oldest one is taken as it stands where retention
 * has removed what it was built on.
 */
export async function checkChain(reader: Reader, orgId: string): Promise<ChainState> {
  for (;;) {
    const state = await walkChain(reader, orgId);
    // Retention may have removed what was about to be read; then there is less to look at than before.
    if (state.brokenAt === null || (await firstSeqOf(reader, orgId)) === state.firstSeq) return state;
  }
}

async function firstSeqOf(reader: Reader, orgId: string): Promise<number | null> {
  const first = await reader
    .selectFrom('audit')
    .select('seq')
    .where('org_id', '=', orgId)
    .where('seq', 'is not', null)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return first?.seq ?? null;
}

/**
 * The same for what was added since `known` was seen intact; null when its last entry is not there as it was, or nothing was
 * there at all.
 */
export async function extendChain(
  reader: Reader,
  orgId: string,
  known: ChainState,
): Promise<ChainState | null> {
  const { lastSeq, lastHash } = known;
  if (lastSeq === null || lastHash === null) return null;
  const anchor = await reader
    .selectFrom('audit')
    .select('hash')
    .where('org_id', '=', orgId)
    .where('seq', '=', lastSeq)
    .executeTakeFirst();
  if (anchor?.hash !== lastHash) return null;
  const state = await walkChain(reader, orgId, known);
  // Retention may have been there.
  const firstSeq = await firstSeqOf(reader, orgId);
  if (firstSeq === null || state.lastSeq === null) return null;
  return { ...state, firstSeq, entries: state.lastSeq - firstSeq + 1 };
}

const NOTHING: ChainState = { entries: 0, firstSeq: null, lastSeq: null, lastHash: null, brokenAt: null };

/** Walks on from what is known. */
async function walkChain(reader: Reader, orgId: string, known: ChainState = NOTHING): Promise<ChainState> {
  let { entries, firstSeq } = known;
  let [seq, hash] = [known.lastSeq ?? 0, known.lastHash ?? NO_ENTRY];
  for (;;) {
    const rows = await reader
      .selectFrom('audit')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('seq', '>', seq)
      .orderBy('seq')
      .limit(ENTRIES_PER_READ)
      .execute();
    for (const row of rows) {
      const at = Number(row.seq);
      const anchor = firstSeq === null && at > 1;
      firstSeq ??= at;
      const fits = anchor || (at === seq + 1 && row.hash === chainHash(hash, { ...row, seq: at }));
      entries += 1;
      [seq, hash] = [at, row.hash ?? ''];
      if (!fits) return { entries, firstSeq, lastSeq: seq, lastHash: hash, brokenAt: at };
    }
    if (rows.length < ENTRIES_PER_READ) break;
  }
  return {
    entries,
    firstSeq,
    lastSeq: entries > 0 ? seq : null,
    lastHash: entries > 0 ? hash : null,
    brokenAt: null,
  };
}
