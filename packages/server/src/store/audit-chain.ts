import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import * as z from 'zod';
import type { Log } from '../core/log.ts';
import { getAuditKey } from './audit-context.ts';
import type { AuditTable } from './key-and-audit-tables.ts';
import { getSetting, storeSetting } from './settings.ts';
import type { Database, DatabaseReader } from './store-interfaces.ts';

type AuditRow = AuditTable;

/** The value that the first entry of a chain has as its previous hash. */
export const AUDIT_CHAIN_START_HASH = '';

/**
 * Computes the HMAC-SHA-256 (hex) of a JSON list that contains the previous hash and then every column. The HMAC
 * key is not in the database. Write access to the database is therefore not enough to change or add an entry.
 */
export function computeAuditEntryHash(
  key: KeyObject,
  previous: string,
  entry: Omit<AuditRow, 'hash'>,
): string {
  const { seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json } = entry;
  const { reason, ip_address, session_id } = entry;
  const fields = [seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json];
  return createHmac('sha256', key)
    .update(JSON.stringify([previous, ...fields, reason, ip_address, session_id]))
    .digest('hex');
}

/**
 * Computes the hash of an entry from before chains had a key: SHA-256 over the columns, including the reason
 * if there is one.
 */
function computeUnkeyedHash(previous: string, entry: Omit<AuditRow, 'hash'>): string {
  const { seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json, reason } = entry;
  const fields = [seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json];
  if (reason !== null) fields.push(reason);
  return createHash('sha256')
    .update(JSON.stringify([previous, ...fields]))
    .digest('hex');
}

/** The last entry of the part of a chain that was written without a key. */
const unkeyedSegmentSchema = z.strictObject({ seq: z.int(), hash: z.string() });
const unkeyedSegmentsSchema = z.strictObject({
  orgs: z.record(z.string(), unkeyedSegmentSchema),
  mac: z.string(),
});
type UnkeyedSegments = Readonly<Record<string, z.output<typeof unkeyedSegmentSchema>>>;

const UNKEYED_SEGMENTS_SETTING = 'audit_unkeyed_parts';

/**
 * Records which audit entries were written before the database had an audit key, and signs this record with
 * the key. Runs once per database. Entries in the record are verified without the key, and all later entries
 * with it. Writes a log entry, because a second record would indicate tampering.
 */
export function recordUnkeyedAuditChains(database: Database, log: Log): Promise<void> {
  return database.transaction(async (writer) => {
    if ((await getSetting(writer, UNKEYED_SEGMENTS_SETTING)) !== undefined) return;
    const rows = await writer
      .selectFrom('audit')
      .innerJoin(
        (query) =>
          query
            .selectFrom('audit')
            .select(({ fn }) => ['org_id as org', fn.max('seq').as('last')])
            .where('seq', 'is not', null)
            .groupBy('org_id')
            .as('ends'),
        (join) => join.onRef('ends.org', '=', 'audit.org_id').onRef('ends.last', '=', 'audit.seq'),
      )
      .select(['audit.org_id', 'audit.seq', 'audit.hash'])
      .execute();
    const orgs = Object.fromEntries(
      rows.map(({ org_id, seq, hash }) => [org_id, { seq: Number(seq), hash: hash ?? '' }]),
    );
    const mac = computeMac(getAuditKey(writer), orgs);
    await storeSetting(writer, UNKEYED_SEGMENTS_SETTING, JSON.stringify({ orgs, mac }));
    if (rows.length > 0)
      log.warn(
        { chains: orgs },
        'new audit entries are authenticated with an HMAC key; earlier entries are not',
      );
  });
}

function computeMac(key: KeyObject, orgs: UnkeyedSegments): string {
  return createHmac('sha256', key)
    .update(`unkeyed parts\n${JSON.stringify(orgs)}`)
    .digest('hex');
}

/**
 * Returns the part of a chain that was written without a key. Returns null if the whole chain has a key, or
 * if the record has an invalid signature.
 */
async function findUnkeyedSegment(
  reader: DatabaseReader,
  orgId: string,
): Promise<z.output<typeof unkeyedSegmentSchema> | null> {
  const text = await getSetting(reader, UNKEYED_SEGMENTS_SETTING);
  if (text === undefined) return null;
  const { orgs, mac } = unkeyedSegmentsSchema.parse(JSON.parse(text));
  return mac === computeMac(getAuditKey(reader), orgs) ? (orgs[orgId] ?? null) : null;
}

/** The result of verifying an organization's audit chain. */
export interface AuditChainVerificationResult {
  readonly entries: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly lastHash: string | null;
  /** Sequence number of the first invalid entry. Null if all are valid. */
  readonly brokenAtSeq: number | null;
}

/** Number of entries per read. Their verification blocks the event loop for at most 10 ms. */
const ENTRIES_PER_READ = 250;

/**
 * Verifies every stored entry of an organization's audit chain. If retention deleted the entry before the
 * oldest stored one, the previous hash of the oldest entry cannot be verified and is accepted.
 */
export async function verifyAuditChain(
  reader: DatabaseReader,
  orgId: string,
): Promise<AuditChainVerificationResult> {
  for (;;) {
    const state = await verifyEntries(reader, orgId);
    // Retention may have deleted entries during the verification. Then it is repeated.
    if (state.brokenAtSeq === null || (await findFirstSeq(reader, orgId)) === state.firstSeq) return state;
  }
}

async function findFirstSeq(reader: DatabaseReader, orgId: string): Promise<number | null> {
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
 * Verifies only the entries that were added since the earlier result `known`. Returns null if the last entry
 * of that result has changed or no longer exists.
 */
export async function verifyAuditChainFrom(
  reader: DatabaseReader,
  orgId: string,
  known: AuditChainVerificationResult,
): Promise<AuditChainVerificationResult | null> {
  const { lastSeq, lastHash } = known;
  if (lastSeq === null || lastHash === null) return null;
  const anchor = await reader
    .selectFrom('audit')
    .select('hash')
    .where('org_id', '=', orgId)
    .where('seq', '=', lastSeq)
    .executeTakeFirst();
  if (anchor?.hash !== lastHash) return null;
  const state = await verifyEntries(reader, orgId, known);
  // Retention may have deleted entries.
  const firstSeq = await findFirstSeq(reader, orgId);
  if (firstSeq === null || state.lastSeq === null) return null;
  return { ...state, firstSeq, entries: state.lastSeq - firstSeq + 1 };
}

const EMPTY_CHAIN: AuditChainVerificationResult = {
  entries: 0,
  firstSeq: null,
  lastSeq: null,
  lastHash: null,
  brokenAtSeq: null,
};

/** Verifies the entries after the known state. */
async function verifyEntries(
  reader: DatabaseReader,
  orgId: string,
  known: AuditChainVerificationResult = EMPTY_CHAIN,
): Promise<AuditChainVerificationResult> {
  const [key, unkeyed] = [getAuditKey(reader), await findUnkeyedSegment(reader, orgId)];
  let { entries, firstSeq } = known;
  let [seq, hash] = [known.lastSeq ?? 0, known.lastHash ?? AUDIT_CHAIN_START_HASH];
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
      const placed = { ...row, seq: at };
      const due =
        unkeyed !== null && at <= unkeyed.seq
          ? computeUnkeyedHash(hash, placed)
          : computeAuditEntryHash(key, hash, placed);
      const isEnd = unkeyed?.seq !== at || unkeyed.hash === row.hash;
      const fits = isEnd && (anchor || (at === seq + 1 && row.hash === due));
      entries += 1;
      [seq, hash] = [at, row.hash ?? ''];
      if (!fits) return { entries, firstSeq, lastSeq: seq, lastHash: hash, brokenAtSeq: at };
    }
    if (rows.length < ENTRIES_PER_READ) break;
  }
  return {
    entries,
    firstSeq,
    lastSeq: entries > 0 ? seq : null,
    lastHash: entries > 0 ? hash : null,
    brokenAtSeq: null,
  };
}

/**
 * The last entry of an audit chain at a point in time. A copy of it that is stored elsewhere can later show
 * whether the chain was rewritten.
 */
export interface AuditAnchor {
  readonly seq: number;
  /** Time of the entry. */
  readonly at: number;
  readonly hash: string;
}

const DAY_MS = 86_400_000;
/** The maximum number of anchors. With one anchor a day, this is about three years. */
export const MAX_AUDIT_ANCHORS = 1_000;

/**
 * Returns the last entry of each day (UTC) in an organization's audit chain, newest first. The first element
 * is always the end of the chain, even if the clock was set back. The query goes from day to day in the index on
 * the time, so that it does not read all entries. In the SQL, `+ 0` prevents the use of the index on the sequence
 * number.
 */
export async function listDailyAuditAnchors(
  reader: DatabaseReader,
  orgId: string,
  limit = MAX_AUDIT_ANCHORS,
): Promise<AuditAnchor[]> {
  const ofOrg = sql`a.org_id = ${orgId}`;
  const { rows } = await sql<{ seq: number | null }>`
    with recursive days(at) as (
      select max(a.at) from audit as a where ${ofOrg}
      union all
      select (select max(a.at) from audit as a where ${ofOrg} and a.at < days.at - days.at % ${sql.lit(DAY_MS)})
      from days where days.at is not null)
    select (select max(a.seq + 0) from audit as a where ${ofOrg} and a.at = days.at) as seq
    from days where days.at is not null limit ${limit}`.execute(reader);
  const daily = await listAuditAnchorsBySequence(
    reader,
    orgId,
    rows.flatMap(({ seq }) => (seq === null ? [] : [Number(seq)])),
  );
  const [end] = await selectAnchors(reader, orgId).orderBy('seq', 'desc').limit(1).execute();
  if (end === undefined || daily[0]?.seq === Number(end.seq)) return daily;
  return [toAnchor(end), ...daily].slice(0, limit);
}

/** Returns the entries that have these sequence numbers and still exist, newest first. */
export async function listAuditAnchorsBySequence(
  reader: DatabaseReader,
  orgId: string,
  seqs: readonly number[],
): Promise<AuditAnchor[]> {
  if (seqs.length === 0) return [];
  const rows = await selectAnchors(reader, orgId).where('seq', 'in', seqs).orderBy('seq', 'desc').execute();
  return rows.map(toAnchor);
}

function selectAnchors(reader: DatabaseReader, orgId: string) {
  return reader.selectFrom('audit').select(['seq', 'at', 'hash']).where('org_id', '=', orgId);
}

function toAnchor({ seq, at, hash }: Pick<AuditRow, 'seq' | 'at' | 'hash'>): AuditAnchor {
  return { seq: Number(seq), at, hash: hash ?? '' };
}
