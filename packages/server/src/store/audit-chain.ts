import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import * as z from 'zod';
import type { Log } from '../core/log.ts';
import { auditKeyOf } from './audit-context.ts';
import type { AuditTable } from './key-tables.ts';
import type { Database, Reader } from './ports.ts';
import { putSetting, settingValue } from './settings.ts';

type AuditRow = AuditTable;

/** What the first entry of a chain stands on. */
export const NO_ENTRY = '';

/**
 * HMAC-SHA-256, hex, over the hash of the entry before and every column, as a JSON list in this order. The key is not in
 * the database, so whoever can write there can neither change an entry nor add one.
 */
export function chainHash(key: KeyObject, previous: string, entry: Omit<AuditRow, 'hash'>): string {
  const { seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json } = entry;
  const { reason, address, session_id } = entry;
  const fields = [seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json];
  return createHmac('sha256', key)
    .update(JSON.stringify([previous, ...fields, reason, address, session_id]))
    .digest('hex');
}

/** As chains were hashed before they had a key: SHA-256, with a reason where there is one. */
function unkeyedHash(previous: string, entry: Omit<AuditRow, 'hash'>): string {
  const { seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json, reason } = entry;
  const fields = [seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json];
  if (reason !== null) fields.push(reason);
  return createHash('sha256')
    .update(JSON.stringify([previous, ...fields]))
    .digest('hex');
}

/** Where the part of a chain ends that has no key, and the hash it ends with. */
const unkeyed = z.strictObject({ seq: z.int(), hash: z.string() });
const unkeyedParts = z.strictObject({ orgs: z.record(z.string(), unkeyed), mac: z.string() });
type UnkeyedParts = Readonly<Record<string, z.output<typeof unkeyed>>>;

const KEYED_SETTING = 'audit_unkeyed_parts';

/**
 * Notes, once in the life of a database, up to where its chains were made without a key, signed with the key: entries up to
 * there are checked as they were made, later ones never without the key. Says so in the log, for it must not happen twice.
 */
export function keyAuditChains(database: Database, log: Log): Promise<void> {
  return database.transaction(async (writer) => {
    if ((await settingValue(writer, KEYED_SETTING)) !== undefined) return;
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
    const mac = macOf(auditKeyOf(writer), orgs);
    await putSetting(writer, KEYED_SETTING, JSON.stringify({ orgs, mac }));
    if (rows.length > 0)
      log.warn(
        { chains: orgs },
        'the audit chains have a key from here on; entries so far were made without one',
      );
  });
}

function macOf(key: KeyObject, orgs: UnkeyedParts): string {
  return createHmac('sha256', key)
    .update(`unkeyed parts\n${JSON.stringify(orgs)}`)
    .digest('hex');
}

/** Null where all of a chain has a key, and where what says otherwise was not written by us. */
async function unkeyedPartOf(reader: Reader, orgId: string): Promise<z.output<typeof unkeyed> | null> {
  const text = await settingValue(reader, KEYED_SETTING);
  if (text === undefined) return null;
  const { orgs, mac } = unkeyedParts.parse(JSON.parse(text));
  return mac === macOf(auditKeyOf(reader), orgs) ? (orgs[orgId] ?? null) : null;
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
  const [key, unkeyed] = [auditKeyOf(reader), await unkeyedPartOf(reader, orgId)];
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
      const placed = { ...row, seq: at };
      const due =
        unkeyed !== null && at <= unkeyed.seq ? unkeyedHash(hash, placed) : chainHash(key, hash, placed);
      const isEnd = unkeyed?.seq !== at || unkeyed.hash === row.hash;
      const fits = isEnd && (anchor || (at === seq + 1 && row.hash === due));
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

/** What a chain ended with at a moment: whoever keeps it elsewhere can tell later whether the chain was rewritten. */
export interface AuditAnchor {
  readonly seq: number;
  /** Of the entry. */
  readonly at: number;
  readonly hash: string;
}

const DAY_MS = 86_400_000;
/** About three years of days. */
export const MOST_ANCHORS = 1_000;

/** The last entry of each day (UTC) of an org's chain, the newest first. */
export async function dailyAnchors(
  reader: Reader,
  orgId: string,
  limit = MOST_ANCHORS,
): Promise<AuditAnchor[]> {
  const ends = await reader
    .selectFrom('audit')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('org_id', '=', orgId)
    .where('seq', 'is not', null)
    .groupBy(sql`at / ${sql.lit(DAY_MS)}`)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return entriesAt(
    reader,
    orgId,
    ends.map(({ seq }) => Number(seq)),
  );
}

/** Those of these entries that are kept, the newest first. */
export async function entriesAt(
  reader: Reader,
  orgId: string,
  seqs: readonly number[],
): Promise<AuditAnchor[]> {
  if (seqs.length === 0) return [];
  const rows = await reader
    .selectFrom('audit')
    .select(['seq', 'at', 'hash'])
    .where('org_id', '=', orgId)
    .where('seq', 'in', seqs)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(({ seq, at, hash }) => ({ seq: Number(seq), at, hash: hash ?? '' }));
}
