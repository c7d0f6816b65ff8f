import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { silentLog } from '../core/log.ts';
import {
  computeAuditEntryHash,
  listDailyAuditAnchors,
  recordUnkeyedAuditChains,
  verifyAuditChain,
  verifyAuditChainFrom,
} from './audit-chain.ts';
import { deriveAuditKey, setAuditOrigin } from './audit-context.ts';
import {
  type AuditEntryRow,
  appendAuditEntries,
  appendAuditEntry,
  getAuditEntryPage,
} from './audit-entries.ts';
import { insertOrg } from './orgs.ts';
import { expireAuditEntries, expireHistoryExceptExchanges } from './retention.ts';
import { storeSetting } from './settings.ts';
import type { Database, DatabaseWriter } from './store-interfaces.ts';
import { TEST_ORG_ID } from './test/rows.ts';

const entry = (id: string, at = 100, org_id = TEST_ORG_ID) => ({
  id,
  org_id,
  at,
  actor: 'key_1',
  actor_name: 'ci',
  action: 'keys.create',
  subject: 'key_2',
  before_json: null,
  after_json: '{"name":"ü"}',
});

/** Removes the protection of the table, as the owner of a database can. */
async function unguarded(engine: string, writer: DatabaseWriter): Promise<void> {
  for (const trigger of engine === 'sqlite' ? ['audit_never_updated', 'audit_never_deleted'] : [])
    await sql`drop trigger if exists ${sql.ref(trigger)}`.execute(writer);
  if (engine === 'postgres') await sql`drop trigger if exists audit_append_only on audit`.execute(writer);
}

/** Tests of the audit log that run for every database engine. */
export function auditSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWith = async (t: TestContext, entries: number) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      for (const id of [TEST_ORG_ID, 'org_two']) await insertOrg(writer, { id, name: id, created_at: 1 });
    });
    for (let n = 1; n <= entries; n++)
      await database.transaction((writer) => appendAuditEntry(writer, entry(`aud_${n}`, n)));
    return database;
  };
  const rows = async (database: Database): Promise<readonly AuditEntryRow[]> =>
    (await getAuditEntryPage(database.read, { orgId: TEST_ORG_ID, limit: 100 })).rows;

  test(`${engine}: many expired entries are deleted in batches, between which other transactions run`, async (t) => {
    const database = await openWith(t, 0);
    const entries = Array.from({ length: 4_500 }, (_, n) => entry(`aud_${n}`, n));
    await database.transaction((writer) => appendAuditEntries(writer, entries));
    const countEntries = async () =>
      (await database.read.selectFrom('audit').select('id').where('org_id', '=', TEST_ORG_ID).execute())
        .length;
    const counts = [await countEntries()];
    const counted: Pick<Database, 'read' | 'transaction'> = {
      read: database.read,
      async transaction(work) {
        const result = await database.transaction(work);
        counts.push(await countEntries());
        return result;
      },
    };
    await expireHistoryExceptExchanges(counted, {
      requestsMs: 0,
      responsesMs: 0,
      bodiesMs: 0,
      nowMs: 10,
      auditMs: 4_400,
    });
    assert.equal(counts.at(-1), 100);
    for (const [at, count] of counts.entries())
      assert.ok((counts[at - 1] ?? count) - count <= 2_000, `${counts}`);
  });

  test(`${engine}: changes are filtered by the part of the action before the dot, newest first, in pages`, async (t) => {
    const database = await openWith(t, 0);
    const actions = [
      'routes.update',
      'limits.create',
      'route.update',
      'sessions.delete_others',
      'routes.delete',
    ];
    await database.transaction(async (writer) => {
      for (const [n, action] of actions.entries())
        await appendAuditEntry(writer, { ...entry(`aud_${n}`, n), action });
      await appendAuditEntry(writer, { ...entry('aud_other', 9, 'org_two'), action: 'routes.update' });
    });
    const wanted = { orgId: TEST_ORG_ID, kinds: ['routes', 'limits', 'update'], from: 0, to: 5 };
    const ids = async (more: { limit: number; from?: number; cursor?: string }) => {
      const { rows: found, nextCursor } = await getAuditEntryPage(database.read, { ...wanted, ...more });
      return { ids: found.map(({ id }) => id), ...(nextCursor !== null && { cursor: nextCursor }) };
    };
    const first = await ids({ limit: 2 });
    assert.deepEqual(first.ids, ['aud_4', 'aud_1']);
    assert.deepEqual(await ids({ limit: 2, ...first }), { ids: ['aud_0'] });
    assert.deepEqual((await ids({ limit: 9, from: 1 })).ids, ['aud_4', 'aud_1']);
    const { rows: ofSessions } = await getAuditEntryPage(database.read, {
      ...wanted,
      kinds: ['sessions'],
      limit: 9,
    });
    assert.deepEqual(
      ofSessions.map(({ id }) => id),
      ['aud_3'],
    );
  });

  test(`${engine}: only retention removes audit entries, and only old ones`, async (t) => {
    const database = await openWith(t, 4);
    const before = await rows(database);
    const tries: readonly ((writer: DatabaseWriter) => Promise<unknown>)[] = [
      (writer) => writer.updateTable('audit').set({ actor: 'nobody' }).where('id', '=', 'aud_1').execute(),
      (writer) => writer.deleteFrom('audit').execute(),
      (writer) => sql`delete from audit where id = 'aud_4'`.execute(writer),
    ];
    for (const attempt of tries) await assert.rejects(database.transaction(attempt), /append-only/);
    assert.deepEqual(await rows(database), before);
    await expireHistoryExceptExchanges(database, {
      requestsMs: 0,
      responsesMs: 0,
      bodiesMs: 0,
      nowMs: 10,
      auditMs: 3,
    });
    assert.deepEqual(
      (await rows(database)).map(({ id }) => id),
      ['aud_4', 'aud_3'],
    );
    await assert.rejects(
      database.transaction((writer) => writer.deleteFrom('audit').execute()),
      /append-only/,
    );
    assert.deepEqual(await verifyAuditChain(database.read, TEST_ORG_ID), {
      entries: 2,
      firstSeq: 3,
      lastSeq: 4,
      lastHash: before[0]?.hash ?? null,
      brokenAtSeq: null,
    });
  });

  test(`${engine}: simultaneous entries of one organization form one chain`, async (t) => {
    const database = await openWith(t, 0);
    const orgs = [TEST_ORG_ID, 'org_two'];
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        database.transaction((writer) => appendAuditEntry(writer, entry(`aud_${n}`, 1, orgs[n % 2]))),
      ),
    );
    for (const org of orgs) {
      const { entries, firstSeq, lastSeq, brokenAtSeq } = await verifyAuditChain(database.read, org);
      assert.deepEqual([entries, firstSeq, lastSeq, brokenAtSeq], [10, 1, 10, null]);
    }
    assert.deepEqual(await verifyAuditChain(database.read, 'org_three'), {
      entries: 0,
      firstSeq: null,
      lastSeq: null,
      lastHash: null,
      brokenAtSeq: null,
    });
  });

  test(`${engine}: verification continues from a verified entry, unless the entry no longer exists`, async (t) => {
    const database = await openWith(t, 3);
    const known = await verifyAuditChain(database.read, TEST_ORG_ID);
    assert.deepEqual(await verifyAuditChainFrom(database.read, TEST_ORG_ID, known), known);
    for (const n of [4, 5])
      await database.transaction((writer) => appendAuditEntry(writer, entry(`aud_${n}`, n)));
    const whole = await verifyAuditChain(database.read, TEST_ORG_ID);
    assert.deepEqual(await verifyAuditChainFrom(database.read, TEST_ORG_ID, known), whole);
    await expireHistoryExceptExchanges(database, {
      requestsMs: 0,
      responsesMs: 0,
      bodiesMs: 0,
      nowMs: 10,
      auditMs: 2,
    });
    const kept = { ...whole, entries: 4, firstSeq: 2 };
    assert.deepEqual(await verifyAuditChainFrom(database.read, TEST_ORG_ID, known), kept);
    for (const gone of [
      { ...known, lastSeq: 1 },
      { ...known, lastHash: 'another' },
      { ...known, lastSeq: null, lastHash: null },
    ])
      assert.equal(await verifyAuditChainFrom(database.read, TEST_ORG_ID, gone), null);
    const forged = {
      ...entry('aud_6'),
      reason: null,
      ip_address: null,
      session_id: null,
      seq: 6,
      hash: known.lastHash,
    };
    await database.transaction((writer) => writer.insertInto('audit').values(forged).execute());
    assert.equal((await verifyAuditChainFrom(database.read, TEST_ORG_ID, known))?.brokenAtSeq, 6);
  });

  test(`${engine}: without the key, write access to the database cannot continue or rewrite a chain`, async (t) => {
    const database = await openWith(t, 0);
    await recordUnkeyedAuditChains(database, silentLog);
    for (const n of [1, 2, 3, 4])
      await database.transaction((writer) => appendAuditEntry(writer, entry(`aud_${n}`, n)));
    const kept = (await rows(database)).toReversed();
    assert.equal((await verifyAuditChain(database.read, TEST_ORG_ID)).brokenAtSeq, null);
    // The attacker knows the algorithm, but not the key outside of the database.
    const foreign = deriveAuditKey(Buffer.alloc(32, 9));
    const hashes = [
      (previous: string, row: AuditEntryRow) => computeAuditEntryHash(foreign, previous, row),
      (previous: string, { hash: _, ip_address: __, session_id: ___, reason, ...row }: AuditEntryRow) => {
        const { seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json } = row;
        const fields = [seq, id, org_id, at, actor, actor_name, action, subject, before_json, after_json];
        if (reason !== null) fields.push(reason);
        return createHash('sha256')
          .update(JSON.stringify([previous, ...fields]))
          .digest('hex');
      },
    ];
    for (const hash of hashes) {
      await database.transaction((writer) => unguarded(engine, writer));
      let previous = '';
      for (const row of kept) {
        const changed = { ...row, actor_name: 'somebody else' };
        previous = hash(previous, changed);
        const columns = { actor_name: changed.actor_name, hash: previous };
        await database.transaction((writer) =>
          writer.updateTable('audit').set(columns).where('id', '=', row.id).execute(),
        );
      }
      // All entries remain, because with a single one there is no previous hash to compare.
      assert.equal((await verifyAuditChain(database.read, TEST_ORG_ID)).brokenAtSeq, 1);
      const claim = JSON.stringify({
        orgs: { [TEST_ORG_ID]: { seq: 4, hash: previous } },
        mac: 'f'.repeat(64),
      });
      await database.transaction((writer) => storeSetting(writer, 'audit_unkeyed_parts', claim));
      assert.equal(
        (await verifyAuditChain(database.read, TEST_ORG_ID)).brokenAtSeq,
        1,
        'a part without a key must be signed',
      );
    }
  });

  test(`${engine}: entries from before the HMAC key remain verifiable, and later entries without it are rejected`, async (t) => {
    const database = await openWith(t, 0);
    const unkeyed = (
      previous: string,
      row: { readonly seq: number; readonly id: string; readonly at: number },
    ) => {
      const { org_id, actor, actor_name, action, subject, before_json, after_json } = entry(row.id, row.at);
      const fields = [
        row.seq,
        row.id,
        org_id,
        row.at,
        actor,
        actor_name,
        action,
        subject,
        before_json,
        after_json,
      ];
      return createHash('sha256')
        .update(JSON.stringify([previous, ...fields]))
        .digest('hex');
    };
    const add = async (seq: number, previous: string) => {
      const id = `aud_${seq}`;
      const hash = unkeyed(previous, { seq, id, at: seq });
      const columns = { ...entry(id, seq), reason: null, ip_address: null, session_id: null, seq, hash };
      await database.transaction((writer) => writer.insertInto('audit').values(columns).execute());
      return hash;
    };
    let last = '';
    for (const seq of [1, 2, 3]) last = await add(seq, last);
    await recordUnkeyedAuditChains(database, silentLog);
    await recordUnkeyedAuditChains(database, silentLog);
    await database.transaction((writer) => appendAuditEntry(writer, entry('aud_4', 4)));
    const state = await verifyAuditChain(database.read, TEST_ORG_ID);
    assert.deepEqual([state.entries, state.brokenAtSeq], [4, null]);
    await add(5, state.lastHash ?? '');
    assert.equal((await verifyAuditChain(database.read, TEST_ORG_ID)).brokenAtSeq, 5);
  });

  test(`${engine}: the last entry of each day is an anchor, newest first`, async (t) => {
    const database = await openWith(t, 0);
    const day = 86_400_000;
    for (const [n, at] of [5, day - 1, day, 3 * day, 3 * day + 7].entries())
      await database.transaction((writer) => appendAuditEntry(writer, entry(`aud_${n}`, at)));
    const anchors = await listDailyAuditAnchors(database.read, TEST_ORG_ID);
    assert.deepEqual(
      anchors.map(({ seq, at }) => [seq, at]),
      [
        [5, 3 * day + 7],
        [3, day],
        [2, day - 1],
      ],
    );
    const byId = new Map((await rows(database)).map(({ seq, hash }) => [seq, hash]));
    for (const { seq, hash } of anchors) assert.equal(hash, byId.get(seq));
    assert.deepEqual((await listDailyAuditAnchors(database.read, TEST_ORG_ID, 1)).length, 1);
  });

  test(`${engine}: the end of the chain is the first anchor after the clock was set back`, async (t) => {
    const database = await openWith(t, 0);
    const day = 86_400_000;
    for (const [n, at] of [day, 900 * day, 2 * day, 3 * day].entries())
      await database.transaction((writer) => appendAuditEntry(writer, entry(`aud_${n}`, at)));
    const listSeqs = async (limit?: number) =>
      (await listDailyAuditAnchors(database.read, TEST_ORG_ID, limit)).map(({ seq }) => seq);
    assert.deepEqual(await listSeqs(), [4, 3, 2, 1]);
    assert.deepEqual(await listSeqs(1), [4]);
  });

  test(`${engine}: expired entries are deleted from the start of the chain, and the last one is kept`, async (t) => {
    const database = await openWith(t, 0);
    for (const [n, at] of [10, 20, 90, 30, 40].entries())
      await database.transaction((writer) => appendAuditEntry(writer, entry(`aud_${n}`, at)));
    const expire = async (beforeMs: number) => {
      await database.transaction((writer) => storeSetting(writer, 'audit_kept_from', String(beforeMs)));
      await expireAuditEntries(database, TEST_ORG_ID, beforeMs);
      const { firstSeq, lastSeq, brokenAtSeq } = await verifyAuditChain(database.read, TEST_ORG_ID);
      return [firstSeq, lastSeq, brokenAtSeq];
    };
    assert.deepEqual(await expire(50), [3, 5, null], 'the clock was set back after entry 3');
    assert.deepEqual(await expire(91), [5, 5, null]);
    await database.transaction((writer) => appendAuditEntry(writer, entry('aud_6', 95)));
    assert.deepEqual(await expire(95), [6, 6, null]);
  });

  test(`${engine}: an entry has the IP address and session of its transaction`, async (t) => {
    const database = await openWith(t, 0);
    await database.transaction(async (writer) => {
      setAuditOrigin(writer, { address: '203.0.113.9', sessionId: 'ses_1' });
      await appendAuditEntry(writer, entry('aud_1', 1));
    });
    await database.transaction((writer) => appendAuditEntry(writer, entry('aud_2', 2)));
    const shown = (await rows(database)).map(({ ip_address, session_id }) => [ip_address, session_id]);
    assert.deepEqual(shown, [
      [null, null],
      ['203.0.113.9', 'ses_1'],
    ]);
    await database.transaction(async (writer) => {
      await unguarded(engine, writer);
      await sql`update audit set ip_address = '203.0.113.10' where id = 'aud_1'`.execute(writer);
    });
    assert.equal((await verifyAuditChain(database.read, TEST_ORG_ID)).brokenAtSeq, 1);
  });

  test(`${engine}: bypassing the database's triggers is detected`, async (t) => {
    const database = await openWith(t, 0);
    const cases = {
      'another word': sql`update audit set after_json = '{}' where id = 'another word 3'`,
      'another author': sql`update audit set actor_name = 'somebody' where id = 'another author 3'`,
      'another time': sql`update audit set at = 7 where id = 'another time 3'`,
      'taken out': sql`delete from audit where id = 'taken out 3'`,
      moved: sql`update audit set seq = 9 where id = 'moved 3'`,
      nothing: sql`select 1`,
    };
    await database.transaction(async (writer) => {
      for (const org of Object.keys(cases)) {
        await insertOrg(writer, { id: org, name: org, created_at: 1 });
        for (let n = 1; n <= 5; n++) await appendAuditEntry(writer, entry(`${org} ${n}`, n, org));
      }
      await unguarded(engine, writer);
      for (const tamper of Object.values(cases)) await tamper.execute(writer);
    });
    const brokenAt = async (org: string) => (await verifyAuditChain(database.read, org)).brokenAtSeq;
    assert.deepEqual(await Promise.all(Object.keys(cases).map(brokenAt)), [3, 3, 3, 4, 4, null]);
  });
}
