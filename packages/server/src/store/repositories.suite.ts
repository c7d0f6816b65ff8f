import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { sql } from 'kysely';
import { runForOrg } from '../core/org-context.ts';
import { appendAuditEntry, getAuditEntryPage } from './audit-entries.ts';
import type { ValueFilter } from './exchange-filters.ts';
import { type ExchangeQuery, findExchangeById, getExchangePage } from './exchanges.ts';
import { findOrgById, insertOrg, listOrgs } from './orgs.ts';
import {
  findPlatformKeyById,
  getPlatformKeyPage,
  insertPlatformKey,
  revokePlatformKey,
  updatePlatformKeysLastUsed,
} from './platform-keys.ts';
import { sumPartialRanges } from './rollups/partial-range-sums.ts';
import { readMetadataValue } from './rollups/read-metadata-value.ts';
import { getSetting, storeSetting } from './settings.ts';
import { listSnapshotPlatformKeys } from './snapshot-platform-keys.ts';
import type { BudgetCharge } from './spend/budget-charge.ts';
import { type BudgetPeriodKind, formatBudgetCounterName } from './spend/budget-period-counters.ts';
import {
  applySpendJournalBatch,
  clearTotalBudgetExpiry,
  listBudgetSpendChangedSince,
  listBudgetSpendOfGroups,
} from './spend/budget-spend.ts';
import type { Database } from './store-interfaces.ts';
import { ingestRows } from './test/ingest-rows.ts';
import { createTestExchangeRow, createTestPlatformKeyRow, TEST_ORG_ID } from './test/rows.ts';

const OTHER_ORG = 'org_two';

/** Tests for every database engine. `open` creates an empty database that is closed when the test ends. */
export function repositorySuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithOrgs = async (t: TestContext) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      await insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 });
      await insertOrg(writer, { id: OTHER_ORG, name: 'Two', created_at: 2 });
    });
    return database;
  };

  test(`${engine}: a transaction that throws leaves no changes`, async (t) => {
    const database = await open(t);
    const failing = database.transaction(async (writer) => {
      await storeSetting(writer, 'a', '1');
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    assert.equal(await getSetting(database.read, 'a'), undefined);
    await database.transaction((writer) => storeSetting(writer, 'a', '2'));
    assert.equal(await getSetting(database.read, 'a'), '2');
  });

  test(`${engine}: an organization with many queries and transactions does not delay another one`, async (t) => {
    const database = await openWithOrgs(t);
    const slow = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) select max(i) from n`;
    const kinds = {
      queries: () => slow.execute(database.read),
      transactions: () => database.transaction((writer) => slow.execute(writer)),
    };
    for (const [kind, run] of Object.entries(kinds)) {
      let finished = 0;
      const flood = Array.from({ length: 60 }, () =>
        runForOrg(TEST_ORG_ID, run).then(() => {
          finished += 1;
        }),
      );
      await runForOrg(OTHER_ORG, run);
      const afterOtherOrg = finished;
      await run();
      const afterServer = finished;
      await Promise.all(flood);
      assert.ok(afterOtherOrg <= 10, `another organization waited for ${afterOtherOrg} ${kind}`);
      assert.ok(afterServer <= 20, `the server waited for ${afterServer} ${kind}`);
    }
  });

  test(`${engine}: spending is counted for any characters in the subject's name`, async (t) => {
    const database = await openWithOrgs(t);
    const budget = { limitNanoUsd: 9, name: 'each', period: 'month', day: '', mode: 'hard' } as const;
    const charges = [
      { ...budget, orgId: TEST_ORG_ID, bucket: 'b:each:\0\ud800', nanoUsd: 2, endsAt: 0 },
      { ...budget, orgId: OTHER_ORG, bucket: 'b:each:ana', nanoUsd: 3, endsAt: 0 },
    ];
    await database.transaction((writer) =>
      applySpendJournalBatch(writer, { journal: 'j', upTo: 1, charges }, 5),
    );
    const spent = await listBudgetSpendChangedSince(database.read, 0, 5);
    assert.deepEqual(spent.map(({ bucket, spent_nano_usd }) => [bucket, spent_nano_usd]).sort(), [
      ['b:each:ana', 3],
      ['b:each:\ufffd\ufffd', 2],
    ]);
  });

  test(`${engine}: a budget counts spending of any size, and no sum exceeds its column`, async (t) => {
    const database = await openWithOrgs(t);
    const budget = { limitNanoUsd: 1e18, name: 'all', period: 'month', day: '', mode: 'hard' } as const;
    const charge = (bucket: string, nanoUsd: number) => ({
      ...budget,
      orgId: TEST_ORG_ID,
      bucket,
      nanoUsd,
      endsAt: 0,
    });
    const batches = [
      [charge('b:large', 9e15), charge('b:huge', 1e22)],
      [charge('b:large', 3e15), charge('b:huge', 3)],
      [charge('b:large', 1e16), charge('b:huge', 5e18)],
    ];
    const spent = [];
    for (const [index, charges] of batches.entries())
      spent.push(
        await database.transaction((writer) =>
          applySpendJournalBatch(writer, { journal: 'j', upTo: index + 1, charges }, 5),
        ),
      );
    assert.deepEqual(
      spent.map((batch) => batch.map(({ afterNanoUsd }) => afterNanoUsd)),
      [
        [9e15, 4e18],
        [1.2e16, 4e18],
        [2.2e16, 4e18],
      ],
    );
    const rows = await listBudgetSpendChangedSince(database.read, 0, 5);
    assert.deepEqual(
      new Map(rows.map(({ bucket, spent_nano_usd }) => [bucket, spent_nano_usd])),
      new Map([
        ['b:large', 2.2e16],
        ['b:huge', 4e18],
      ]),
    );
  });

  test(`${engine}: a budget counts its spending in every period, and reports the change of its own period only`, async (t) => {
    const database = await openWithOrgs(t);
    const [day, endsAt, limitNanoUsd] = ['2026-11-22', Date.parse('2026-11-23T00:00:00Z'), 9];
    const own = { orgId: TEST_ORG_ID, name: 'a:b', mode: 'hard', day, endsAt, limitNanoUsd } as const;
    const nameOf = (kind: BudgetPeriodKind) => formatBudgetCounterName('a:b', kind, day, 'key:one');
    const charge = (period: BudgetPeriodKind, nanoUsd: number) => ({
      ...own,
      ...(period === 'total' && { endsAt: 0 }),
      bucket: nameOf(period),
      period,
      nanoUsd,
    });
    const apply = (upTo: number, charges: readonly BudgetCharge[]) =>
      database.transaction((writer) =>
        applySpendJournalBatch(writer, { journal: 'j', upTo, charges }, endsAt - 1),
      );
    const spent = await apply(1, [charge('day', 2), charge('month', 3)]);
    assert.deepEqual(
      spent.filter(({ isCurrentPeriod }) => isCurrentPeriod).map(({ bucket }) => bucket),
      [nameOf('day'), nameOf('month')],
    );
    await apply(2, [charge('total', 5)]);
    await apply(2, [charge('total', 5)]);
    await apply(3, [charge('day', 7)]);
    const rows = await listBudgetSpendChangedSince(database.read, 0, endsAt - 1);
    assert.deepEqual(
      new Map(rows.map(({ bucket, spent_nano_usd }) => [bucket, spent_nano_usd])),
      new Map((['day', 'week', 'month', 'total'] as const).map((kind) => [nameOf(kind), 17])),
    );
    const total = rows.find(({ bucket }) => bucket === 'b:a:b:total:ever:key:one');
    assert.equal(total?.ends_at, 0, 'a budget that was once total never expires');
    assert.ok(rows.some(({ bucket }) => bucket === 'b:a:b:week:2026-11-16:key:one'));
  });

  test(`${engine}: the spending of a budget is read by period kind, and that of a total budget is kept`, async (t) => {
    const database = await openWithOrgs(t);
    const nowMs = Date.parse('2026-12-01T00:00:00Z');
    const counters: readonly [bucket: string, endsAt: number][] = [
      ['b:a:day:2026-12-01:ana', nowMs + 1],
      ['b:a:day:2026-11-30:ana', nowMs],
      ['b:a:total:ever:ana', nowMs],
      ['b:a:total:ever:é', nowMs + 1],
      ['b:a-b:day:2026-12-01:ana', nowMs + 1],
      ['b:A:total:ever:ana', nowMs + 1],
      ['b:a:b:total:ever:ana', nowMs + 1],
    ];
    const rows = counters.map(([bucket, ends_at]) => ({ bucket, ends_at, spent_nano_usd: 1, updated_at: 0 }));
    await database.transaction((writer) =>
      writer
        .insertInto('budget_spend')
        .values([TEST_ORG_ID, OTHER_ORG].flatMap((org_id) => rows.map((row) => ({ ...row, org_id }))))
        .execute(),
    );
    const groupOf = (kind: BudgetPeriodKind) => ({ orgId: TEST_ORG_ID, budgetId: 'a', kind });
    const list = (kind: BudgetPeriodKind) => listBudgetSpendOfGroups(database.read, [groupOf(kind)], nowMs);
    assert.deepEqual(
      (await list('day')).map(({ org_id, bucket }) => [org_id, bucket]),
      [[TEST_ORG_ID, 'b:a:day:2026-12-01:ana']],
    );
    await database.transaction((writer) => clearTotalBudgetExpiry(writer, groupOf('total')));
    assert.deepEqual(
      new Map((await list('total')).map(({ bucket, ends_at }) => [bucket, ends_at])),
      new Map([
        ['b:a:total:ever:ana', 0],
        ['b:a:total:ever:é', 0],
      ]),
    );
    const kept = await database.read
      .selectFrom('budget_spend')
      .select('bucket')
      .where('ends_at', '=', 0)
      .execute();
    assert.equal(kept.length, 2);
  });

  test(`${engine}: transactions are serialized and lose no update`, async (t) => {
    const database = await open(t);
    await database.transaction((writer) => storeSetting(writer, 'n', '0'));
    const increments = Array.from({ length: 20 }, () =>
      database.transaction(async (writer) => {
        const before = Number(await getSetting(writer, 'n'));
        await storeSetting(writer, 'n', String(before + 1));
      }),
    );
    await Promise.all(increments);
    assert.equal(await getSetting(database.read, 'n'), '20');
  });

  test(`${engine}: a reader sees no uncommitted changes and does not wait for them`, async (t) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      await storeSetting(writer, 'a', 'inside');
      assert.equal(await getSetting(database.read, 'a'), undefined);
      assert.equal(await getSetting(writer, 'a'), 'inside');
    });
    assert.equal(await getSetting(database.read, 'a'), 'inside');
  });

  test(`${engine}: integers are returned as numbers, and rows as ordinary objects`, async (t) => {
    const database = await open(t);
    const org = {
      id: TEST_ORG_ID,
      name: "O'Neil é 🧊",
      created_at: Number.MAX_SAFE_INTEGER,
      metadata_keys_json: '["env"]',
      timezone: 'Europe/Berlin',
      updated_at: null,
      updated_by: 'key_one',
    };
    await database.transaction((writer) => insertOrg(writer, org));
    assert.deepStrictEqual(await findOrgById(database.read, TEST_ORG_ID), org);
    assert.deepStrictEqual(await listOrgs(database.read), [org]);
    assert.equal(await findOrgById(database.read, 'org_none'), undefined);
  });

  test(`${engine}: a second row with the same unique value is a conflict`, async (t) => {
    const database = await openWithOrgs(t);
    const insert = (id: string, hash: string) =>
      database.transaction((writer) => insertPlatformKey(writer, createTestPlatformKeyRow(id, { hash })));
    await insert('key_a', 'same');
    await assert.rejects(
      insert('key_b', 'same'),
      (error) => error instanceof Fault && error.code === 'conflict',
    );
    await insert('key_b', 'other');
  });

  test(`${engine}: a key of an unknown organization is rejected`, async (t) => {
    const database = await open(t);
    await assert.rejects(
      database.transaction((writer) => insertPlatformKey(writer, createTestPlatformKeyRow('key_a'))),
    );
  });

  test(`${engine}: of several revocations of a key, exactly one succeeds, and other organizations cannot revoke it`, async (t) => {
    const database = await openWithOrgs(t);
    await database.transaction((writer) => insertPlatformKey(writer, createTestPlatformKeyRow('key_a')));
    const revoke = (orgId: string, at: number) =>
      database.transaction((writer) =>
        revokePlatformKey(writer, orgId, 'key_a', { by: 'somebody', nowMs: at }),
      );
    assert.equal(await revoke(OTHER_ORG, 5), false);
    const times = [10, 11, 12];
    const answers = await Promise.all(times.map((at) => revoke(TEST_ORG_ID, at)));
    assert.equal(answers.filter(Boolean).length, 1);
    // Either order, because an engine may run both at the same time.
    assert.equal(
      (await findPlatformKeyById(database.read, TEST_ORG_ID, 'key_a'))?.revoked_at,
      times[answers.indexOf(true)],
    );
    assert.equal(await findPlatformKeyById(database.read, OTHER_ORG, 'key_a'), undefined);
  });

  test(`${engine}: the snapshot has valid and recently revoked keys of all organizations`, async (t) => {
    const database = await openWithOrgs(t);
    await database.transaction(async (writer) => {
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_live'));
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_expired', { expires_at: 1 }));
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_two', { org_id: OTHER_ORG }));
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_long_gone', { revoked_at: 10 }));
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_just_gone', { revoked_at: 100 }));
    });
    const ids = (await listSnapshotPlatformKeys(database.read, 100, '', 10)).map(({ id }) => id);
    const page = await listSnapshotPlatformKeys(database.read, 100, 'key_expired', 1);
    assert.deepEqual(
      page.map(({ id }) => id),
      ['key_just_gone'],
    );
    assert.deepEqual(ids.sort(), ['key_expired', 'key_just_gone', 'key_live', 'key_two']);
  });

  test(`${engine}: last use never moves back`, async (t) => {
    const database = await openWithOrgs(t);
    await database.transaction((writer) => insertPlatformKey(writer, createTestPlatformKeyRow('key_a')));
    const touch = (usedAt: number) =>
      database.transaction((writer) =>
        updatePlatformKeysLastUsed(writer, [
          { id: 'key_a', usedAt },
          { id: 'key_gone', usedAt },
        ]),
      );
    await touch(50);
    await touch(40);
    assert.equal((await findPlatformKeyById(database.read, TEST_ORG_ID, 'key_a'))?.last_used_at, 50);
  });

  test(`${engine}: pages of keys and audit entries contain each row once, newest first`, async (t) => {
    const database = await openWithOrgs(t);
    await database.transaction(async (writer) => {
      for (let i = 0; i < 7; i++) {
        // Several rows have the same millisecond, so that their order depends on the id.
        const at = 100 + Math.floor(i / 3);
        await insertPlatformKey(writer, createTestPlatformKeyRow(`key_${i}`, { created_at: at }));
        const entry = { id: `aud_${i}`, org_id: TEST_ORG_ID, at, actor: 'setup', action: 'keys.create' };
        await appendAuditEntry(writer, {
          ...entry,
          subject: `key_${i}`,
          before_json: null,
          after_json: '{}',
        });
      }
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_foreign', { org_id: OTHER_ORG }));
    });
    const numbers = ['6', '5', '4', '3', '2', '1', '0'];
    const keys = await allPages((cursor) =>
      getPlatformKeyPage(database.read, { orgId: TEST_ORG_ID, limit: 3, ...cursor }),
    );
    assert.deepEqual(
      keys.map(({ id }) => id),
      numbers.map((n) => `key_${n}`),
    );
    const audit = await allPages((cursor) =>
      getAuditEntryPage(database.read, { orgId: TEST_ORG_ID, limit: 7, ...cursor }),
    );
    assert.deepEqual(
      audit.map(({ id }) => id),
      numbers.map((n) => `aud_${n}`),
    );
  });

  test(`${engine}: an unknown cursor is an invalid request`, async (t) => {
    const database = await openWithOrgs(t);
    for (const cursor of ['', 'x', '%', Buffer.from('12:a b').toString('base64url')])
      await assert.rejects(
        getExchangePage(database.read, { orgId: TEST_ORG_ID, limit: 1, cursor }),
        (error) =>
          error instanceof Fault && error.code === 'invalid_request' && error.detail.param === 'cursor',
      );
  });

  test(`${engine}: rows of the spool are stored unchanged, and inserting them again has no effect`, async (t) => {
    const database = await openWithOrgs(t);
    const row = createTestExchangeRow('exc_a', {
      metadata_json: '{"x":"1"}',
      provider: null,
      cost_nano_usd: 9e15,
    });
    const first = await ingestRows(t, database, [row]);
    assert.deepEqual([first.inserted, first.known, first.rejected.length], [1, 0, 0]);
    const again = await ingestRows(t, database, [{ ...row, status: 500 }, createTestExchangeRow('exc_b')]);
    assert.deepEqual([again.inserted, again.known, again.rejected.length], [1, 1, 0]);
    assert.deepStrictEqual(await findExchangeById(database.read, TEST_ORG_ID, 'exc_a'), row);
    assert.equal(await findExchangeById(database.read, OTHER_ORG, 'exc_a'), undefined);
  });

  test(`${engine}: exchanges are filtered by every filter and never shown to another organization`, async (t) => {
    const database = await openWithOrgs(t);
    const metadata_json = JSON.stringify({ env: 'prod', 'a "b".c\\': '7', build: '42' });
    await database.transaction(async (writer) => {
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_two', { name: 'nightly' }));
      await insertPlatformKey(
        writer,
        createTestPlatformKeyRow('key_old', { name: 'nightly', hash: 'old', revoked_at: 1 }),
      );
      await insertPlatformKey(
        writer,
        createTestPlatformKeyRow('key_far', { name: 'nightly', hash: 'far', org_id: OTHER_ORG }),
      );
    });
    await ingestRows(t, database, [
      createTestExchangeRow('exc_1', {
        created_at: 100,
        route_mode: 'passthrough',
        status: 429,
        state: 'failed',
      }),
      createTestExchangeRow('exc_2', {
        created_at: 200,
        key_id: 'key_two',
        key_name: 'renamed away',
        provider: 'other',
      }),
      createTestExchangeRow('exc_3', {
        created_at: 300,
        model: 'acme-small',
        model_requested: 'slow',
        metadata_json,
      }),
      createTestExchangeRow('exc_4', { created_at: 400, org_id: OTHER_ORG }),
    ]);
    const is = (...any: string[]) => ({ any, none: [] });
    const not = (...none: string[]) => ({ any: [], none });
    const status = (from: number, to: number) => ({ any: [{ from, to }], none: [] });
    const cases: [Partial<ExchangeQuery>, string][] = [
      [{}, '3 2 1'],
      [{ textColumns: { route_mode: is('passthrough') } }, '1'],
      [{ textColumns: { route_mode: is('unified') } }, '3 2'],
      [{ textColumns: { route_mode: not('unified') } }, '1'],
      [{ key: is('key_two') }, '2'],
      [{ key: is('nightly') }, '2'],
      [{ key: not('nightly') }, '3 1'],
      [{ key: is('nightly', 'key_one') }, '3 2 1'],
      [{ key: is('renamed away') }, ''],
      [{ key: not('renamed away') }, '3 2 1'],
      [{ model: is('acme-small') }, '3'],
      [{ model: is('slow') }, '3'],
      [{ model: is('acme-small', 'slow', 'fast') }, '3 2 1'],
      [{ model: not('slow') }, '2 1'],
      [{ textColumns: { provider: is('other') } }, '2'],
      [{ textColumns: { provider: is('other', 'acme') } }, '3 2 1'],
      [{ textColumns: { provider: not('other') } }, '3 1'],
      [{ status: status(400, 499) }, '1'],
      [{ status: { any: [], none: [{ from: 400, to: 499 }] } }, '3 2'],
      [{ status: { any: [...status(429, 429).any, ...status(500, 500).any], none: [] } }, '1'],
      [{ status: status(100, 599) }, '3 2 1'],
      [{ status: status(200, 200), textColumns: { state: is('complete') } }, '3 2'],
      [{ textColumns: { state: is('failed') } }, '1'],
      [{ textColumns: { state: is('failed', 'complete') } }, '3 2 1'],
      [{ textColumns: { error_code: { any: [], none: [], present: true } } }, ''],
      [{ textColumns: { error_code: { any: [], none: [], present: false } } }, '3 2 1'],
      [{ numericColumns: { latency_ms: { from: 900.5 } } }, '3 2 1'],
      [{ numericColumns: { latency_ms: { to: 900.4 } } }, ''],
      [{ numericColumns: { attempts: { from: 2 } } }, ''],
      [{ numericColumns: { attempts: { from: 1, to: 1 } }, key: is('key_two') }, '2'],
      [{ stream: true, dropped: false }, '3 2 1'],
      [{ stream: false }, ''],
      [{ from: 200 }, '3 2'],
      [{ to: 200 }, '1'],
      [{ metadata: { env: is('prod'), build: is('42') } }, '3'],
      [{ metadata: { env: not('prod') } }, '2 1'],
      [{ metadata: { 'a "b".c\\': is('7') } }, '3'],
      [{ metadata: { env: is('test') } }, ''],
      [{ metadata: { missing: is('prod') } }, ''],
    ];
    for (const [filters, expected] of cases) {
      const { rows } = await getExchangePage(database.read, { orgId: TEST_ORG_ID, limit: 10, ...filters });
      assert.equal(rows.map(({ id }) => id.slice(4)).join(' '), expected, JSON.stringify(filters));
    }
  });

  test(`${engine}: a metadata filter finds the values that rollups count, whatever metadata other rows have`, async (t) => {
    const database = await openWithOrgs(t);
    const metadata = { on: true, n: 7, big: 12345678901234567000, tiny: 1e-7, text: '1', of: {}, all: [1] };
    const metadata_json = JSON.stringify({ ...metadata, none: null });
    const deep = `{"on":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
    await ingestRows(t, database, [
      createTestExchangeRow('exc_deep', { metadata_json: deep }),
      createTestExchangeRow('exc_one', { metadata_json }),
    ]);
    for (const name of [...Object.keys(metadata), 'none', 'missing']) {
      const value = readMetadataValue(metadata_json, name);
      const find = async (filter: ValueFilter) => {
        const query = { orgId: TEST_ORG_ID, limit: 10, metadata: { [name]: filter } };
        return (await getExchangePage(database.read, query)).rows.map(({ id }) => id);
      };
      const found = value === null ? [] : ['exc_one'];
      assert.deepEqual(await find({ any: [], none: [], present: true }), found, name);
      if (value !== null) assert.deepEqual(await find({ any: [value], none: [] }), found, name);
    }
    for (const name of Object.keys(metadata)) {
      const ranges = [{ from: 1_699_999_999_999, to: 1_700_000_000_001 }];
      const request = {
        orgId: TEST_ORG_ID,
        ranges,
        groupBy: [`metadata.${name}`],
        figures: ['requests'],
      } as const;
      const sums = await sumPartialRanges(database.read, request);
      const values = sums.map(({ values: [value] }) => value).filter((value) => value !== '');
      const expected = readMetadataValue(metadata_json, name);
      assert.deepEqual(values, expected === null ? [] : [expected], name);
    }
  });

  test(`${engine}: pages of exchanges contain each row once while new rows arrive`, async (t) => {
    const database = await openWithOrgs(t);
    const old = Array.from({ length: 11 }, (_, i) =>
      createTestExchangeRow(`exc_${String(i).padStart(2, '0')}`, { created_at: 100 + Math.floor(i / 4) }),
    );
    await ingestRows(t, database, old);
    let arrivals = 0;
    const seen = await allPages(async (cursor) => {
      const page = await getExchangePage(database.read, { orgId: TEST_ORG_ID, limit: 3, ...cursor });
      await ingestRows(t, database, [createTestExchangeRow(`exc_new${arrivals++}`, { created_at: 999 })]);
      return page;
    });
    assert.deepEqual(
      seen.map(({ id }) => id),
      old.map(({ id }) => id).reverse(),
    );
  });
}

/** Follows cursors to the end. Fails on an endless list. */
async function allPages<Row>(
  page: (cursor: { cursor?: string }) => Promise<{ rows: readonly Row[]; nextCursor: string | null }>,
): Promise<Row[]> {
  const seen: Row[] = [];
  let cursor: { cursor?: string } = {};
  for (let pages = 0; pages < 20; pages++) {
    const { rows, nextCursor } = await page(cursor);
    seen.push(...rows);
    if (nextCursor === null) return seen;
    cursor = { cursor: nextCursor };
  }
  throw new Error('the pages do not end');
}
