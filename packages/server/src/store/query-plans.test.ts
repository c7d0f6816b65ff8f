import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely';
import pg from 'pg';
import { queryChartSeries, queryChartSummary, queryTopValues } from '../analytics/charts.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { findOpeningAlertDelivery } from './alert-threads.ts';
import { getAlertPage } from './alerts.ts';
import { listAllPlatformKeys, listRevokedPlatformKeysByHash } from './all-platform-keys.ts';
import { listDailyAuditAnchors } from './audit-chain.ts';
import { getAuditEntryPage } from './audit-entries.ts';
import { getBreakerChangePage } from './breaker-changes.ts';
import type { DatabaseEngine } from './database-engine.ts';
import { getEncryptedTextPage } from './encrypted-texts.ts';
import { listEndedFailures } from './ended-failures.ts';
import { findSingleScanCondition } from './exchange-scan-plan.ts';
import { countExchangesUpTo, type ExchangeQuery, getExchangePage } from './exchanges.ts';
import { listHistoryAfter } from './import-monitors.ts';
import { getLiveBatchMatches } from './live-batch-matches.ts';
import { listLiveEventsAfter } from './live-events.ts';
import { countMonitorsByOrgAndStatus, listMonitorStatuses } from './monitoring/monitor-metrics.ts';
import { openDatabase } from './open-database.ts';
import { encodeTimeCursor } from './pagination.ts';
import { countRelayDecisionsByRule, getRelayDecisionPage } from './relay/relay-decisions.ts';
import { getRelayReportPage } from './relay/relay-reports.ts';
import { getRelaySessionPage } from './relay/relay-session-summaries.ts';
import { sumRollupsByKeyAndModel } from './rollups/key-and-model-rollup-sums.ts';
import { HOUR_MS } from './rollups/rollup-accumulator.ts';
import type { DatabaseSchema } from './schema.ts';
import { listActivePlatformKeys } from './snapshot-platform-keys.ts';
import type { DatabaseReader } from './store-interfaces.ts';
import { ingestRows } from './test/ingest-rows.ts';
import { createTestDatabase } from './test/postgres-database.ts';
import { createTestExchangeRow, TEST_ORG_ID } from './test/rows.ts';
import { createTemporaryDirectory } from './test/temporary-directory.ts';

const NOW = Date.UTC(2026, 10, 21);

const DAYS_OF_KOLKATA = { stepMs: 24 * HOUR_MS, timezone: 'Asia/Kolkata' };

/** Everything the console and scripts ask of the tables that grow without end, by name. */
function questions(reader: DatabaseReader): Readonly<Record<string, () => Promise<unknown>>> {
  const is = (...any: string[]) => ({ any, none: [] });
  const not = (...none: string[]) => ({ any: [], none });
  const list = (query: Partial<ExchangeQuery>) => () =>
    getExchangePage(reader, { orgId: TEST_ORG_ID, limit: 50, ...query });
  const cursor = encodeTimeCursor({ at: NOW, id: 'exc_zzzz' });
  const month = { orgId: TEST_ORG_ID, from: NOW - 30 * 24 * HOUR_MS, to: NOW };
  const hours = { ...month, unit: 'hour', stepMs: HOUR_MS, limit: 10, metric: 'requests' } as const;
  const batch = { ids: ['exc_1', 'exc_2'], from: NOW, to: NOW, rate_limited: 0, over_budget: 0 };
  const filter = { facet: 'key', any: ['key_one', 'key_two'], none: [] } as const;
  return {
    'rewrap of stored responses': () => getEncryptedTextPage(reader, 'stored_responses', ['exc_1']),
    'all keys of an organization': () =>
      listAllPlatformKeys(reader, { orgIds: [TEST_ORG_ID], omitsRevokedApiKeys: true }),
    'active keys of an organization': () => listActivePlatformKeys(reader, TEST_ORG_ID, NOW),
    'revoked keys by value': () => listRevokedPlatformKeysByHash(reader, TEST_ORG_ID, ['a', 'b']),
    'list of everything': list({}),
    'list, further on': list({ cursor, from: NOW - HOUR_MS }),
    'list of two keys': list({ key: is('key_one', 'key_two') }),
    'list of two models': list({ model: is('one', 'two') }),
    'list of what was asked for': list({ textColumns: { model_requested: is('one') } }),
    'list of two statuses': list({
      status: {
        any: [
          { from: 429, to: 429 },
          { from: 500, to: 599 },
        ],
        none: [],
      },
    }),
    'list of other statuses': list({ status: { any: [], none: [{ from: 200, to: 299 }] } }),
    'list of states': list({ textColumns: { state: is('failed', 'blocked') } }),
    'list of a provider and an error': list({ textColumns: { provider: is('acme'), error_code: is('x') } }),
    'list of a key without a model': list({ key: is('key_one'), model: not('large') }),
    'list of slow ones': list({ numericColumns: { latency_ms: { from: 60_000 } } }),
    'list of many attempts': list({
      numericColumns: { attempts: { from: 2 } },
      textColumns: { route_mode: is('ide') },
    }),
    'list of some metadata': list({ metadata: { env: is('prod', 'test') } }),
    'list of other metadata': list({ metadata: { build: not('7') } }),
    'tail, filtered': () =>
      getLiveBatchMatches(reader, [batch], { orgId: TEST_ORG_ID, key: is('key_one') }, 1),
    'live events': () =>
      listLiveEventsAfter(reader, {
        orgIds: [TEST_ORG_ID, 'org_two'],
        after: { xid: 5, seq: 5 },
        limit: 500,
      }),
    'changes of breakers': () => getBreakerChangePage(reader, { orgId: TEST_ORG_ID, limit: 50, from: NOW }),
    'changes of one breaker': () =>
      getBreakerChangePage(reader, { orgId: TEST_ORG_ID, limit: 50, breakerId: 'x', cursor }),
    'audit of a range': () => getAuditEntryPage(reader, { orgId: TEST_ORG_ID, limit: 50, from: NOW, cursor }),
    'audit of some kinds': () =>
      getAuditEntryPage(reader, {
        orgId: TEST_ORG_ID,
        limit: 50,
        from: NOW,
        to: NOW + 1,
        kinds: ['routes', 'limits'],
      }),
    'audit of some kinds, further on': () =>
      getAuditEntryPage(reader, {
        orgId: TEST_ORG_ID,
        limit: 50,
        from: NOW,
        cursor,
        kinds: ['routes', 'limits'],
      }),
    'audit of a subject, an actor and an action': () =>
      getAuditEntryPage(reader, {
        orgId: TEST_ORG_ID,
        limit: 50,
        subject: 'a',
        actor: 'b',
        action: 'c',
        cursor,
      }),
    'audit of an actor': () =>
      getAuditEntryPage(reader, { orgId: TEST_ORG_ID, limit: 50, from: NOW, actor: 'b' }),
    'audit of an action': () =>
      getAuditEntryPage(reader, { orgId: TEST_ORG_ID, limit: 50, action: 'c', cursor }),
    'alerts of a subject': () =>
      getAlertPage(reader, { orgId: TEST_ORG_ID, limit: 50, from: NOW, subject: 'a' }),
    'opening of a recovery': () =>
      findOpeningAlertDelivery(reader, 'ch_one', {
        org_id: TEST_ORG_ID,
        subject_kind: 'monitor',
        subject_id: 'a',
        seq: 1_000_000,
      }),
    'failures that have ended': () => listEndedFailures(reader, ['alr_1', 'alr_2'], NOW),
    'decisions of a rule': () =>
      getRelayDecisionPage(reader, { orgId: TEST_ORG_ID, limit: 50, rule: 'a', agent: 'b' }),
    'decisions of an agent': () =>
      getRelayDecisionPage(reader, { orgId: TEST_ORG_ID, limit: 50, agent: 'b', cursor }),
    'decisions by rule': () => countRelayDecisionsByRule(reader, TEST_ORG_ID, NOW, 10),
    'reports of a session': () => getRelayReportPage(reader, { orgId: TEST_ORG_ID, limit: 50, session: 'a' }),
    'agent sessions': () => getRelaySessionPage(reader, { orgId: TEST_ORG_ID, limit: 50, from: NOW }),
    'list of an outcome': list({ outcome: is('client_error'), textColumns: { owner: is('none') } }),
    'daily audit anchors': () => listDailyAuditAnchors(reader, TEST_ORG_ID),
    'number of failed requests': () => {
      const filters = { textColumns: { state: is('failed'), team: is('sre') } };
      const indexed = findSingleScanCondition(filters, undefined);
      assert.ok(indexed);
      return countExchangesUpTo(reader, { ...month, indexed }, 100);
    },
    'alerts of a range': () => getAlertPage(reader, { orgId: TEST_ORG_ID, limit: 50, from: NOW, cursor }),
    'periods to copy': () => listHistoryAfter(reader, 'monitor_periods', { uid: 'mon_1', started_at: NOW }),
    'beat keys to copy': () => listHistoryAfter(reader, 'beat_keys', { uid: 'mon_1', key: 'one' }),
    'checks to copy': () => listHistoryAfter(reader, 'checks', { uid: 'mon_1', at: NOW, id: 'chk_1' }),
    'monitors by status': () => countMonitorsByOrgAndStatus(reader),
    'statuses of monitors': () =>
      listMonitorStatuses(
        reader,
        new Map([
          [TEST_ORG_ID, 3],
          ['org_two', 5],
        ]),
      ),
    summary: () => queryChartSummary(reader, hours),
    'summary of two keys': () => queryChartSummary(reader, { ...hours, filter }),
    'top teams': () => queryTopValues(reader, { ...hours, groupBy: 'team', order: 'cost_nano_usd' }),
    'values that begin so': () =>
      queryTopValues(reader, { ...hours, groupBy: 'model', order: 'requests', prefix: 'gpt' }),
    'top models of two keys': () =>
      queryTopValues(reader, { ...hours, groupBy: 'model', order: 'requests', filter }),
    'chart of the same values': () =>
      queryChartSeries(reader, { ...hours, groupBy: 'model', onlyValues: ['a', 'b'] }),
    'chart of models of two keys': () =>
      queryChartSeries(reader, { ...hours, groupBy: 'model', onlyValues: ['a'], filter }),
    'a month': () => sumRollupsByKeyAndModel(reader, month),
    'summary to the second': () =>
      queryChartSummary(reader, { ...hours, from: month.from + 1000, to: NOW - 1000 }),
    'summary to the second, with minutes': () =>
      queryChartSummary(reader, { ...hours, from: month.from + 1000, minutesSince: month.from }),
    'top projects to the second, with minutes': () =>
      queryTopValues(reader, {
        ...hours,
        to: NOW - 1000,
        minutesSince: month.from,
        groupBy: 'metadata.env',
        order: 'requests',
      }),
    'top teams to the second': () =>
      queryTopValues(reader, { ...hours, to: NOW - 1000, groupBy: 'team', order: 'requests' }),
    'days of a zone of half hours': () =>
      queryChartSeries(reader, { ...hours, ...DAYS_OF_KOLKATA, groupBy: 'model' }),
    'days of two projects': () =>
      queryChartSeries(reader, {
        ...hours,
        ...DAYS_OF_KOLKATA,
        filter: { ...filter, facet: 'metadata.env' },
        metric: 'latency_p95_ms',
      }),
  };
}

/** The index of each statement of a question, if another one would read all rows of the time range. */
const INDEXES: Readonly<Record<string, RegExp>> = {
  'all keys of an organization': /platform_keys_active \(org_id=\? AND id>\?\)(?!.*TEMP B-TREE)/,
  'active keys of an organization': /platform_keys_active \(org_id=\?\)/,
  'revoked keys by value': /^MULTI-INDEX OR, .*\(hash=\?\).*\(previous_hash=\?\)/,
  'daily audit anchors': /^(?!.*audit_by_seq).*audit_by_time|^SEARCH audit USING INDEX audit_by_seq/,
  'periods to copy': /^SEARCH monitor_periods .*\(uid,started_at\)>(?!.*TEMP B-TREE)/,
  'beat keys to copy': /^SEARCH beat_keys .*\(uid,key\)>(?!.*TEMP B-TREE)/,
  'checks to copy': /^SEARCH checks .*\(uid,at,id\)>(?!.*TEMP B-TREE)/,
  'monitors by status':
    /COVERING INDEX sqlite_autoindex_monitor_clocks_3.*COVERING INDEX monitor_clocks_not_healthy/,
  'statuses of monitors': /sqlite_autoindex_monitor_clocks_3 \(org_id=\?\)(?!.*TEMP B-TREE)/,
  'number of failed requests': /COVERING INDEX exchanges_by_state/,
  'audit of some kinds': /audit_by_kind/,
  'audit of some kinds, further on': /audit_by_kind/,
  'audit of a subject, an actor and an action': /audit_by_subject/,
  'audit of an actor': /audit_by_actor/,
  'audit of an action': /audit_by_action/,
  'alerts of a subject': /alerts_of_subject/,
  'decisions of a rule': /relay_decisions_by_rule/,
  'decisions of an agent': /relay_decisions_by_time/,
  'decisions by rule': /relay_decisions_by_rule/,
  'reports of a session': /relay_reports_by_session_id/,
  'agent sessions': /relay_sessions_by_time|sqlite_autoindex_relay_sessions_1/,
};

/** Runs no statement; keeps each, and answers the looks at small tables that lead to the next one. */
class NotingDriver extends DummyDriver {
  readonly seen: CompiledQuery[] = [];

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new NotingConnection(this.seen);
  }
}

class NotingConnection implements DatabaseConnection {
  readonly #seen: CompiledQuery[];

  constructor(seen: CompiledQuery[]) {
    this.#seen = seen;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#seen.push(query);
    return { rows: ANSWERS.filter(({ table }) => query.sql.includes(table)).map(({ row }) => rowAs<R>(row)) };
  }

  // biome-ignore lint/correctness/useYield: nothing streams here
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('nothing streams here');
  }
}

const ANSWERS = [
  { table: 'from "orgs"', row: { metadata_keys_json: '["env"]' } },
  { table: 'from "exchange_metadata"', row: { created_at: NOW, exchange_id: 'exc_1' } },
];

/** The driver knows nothing of its caller's row type; these are the columns that the statement selects. */
function rowAs<R>(row: object): R {
  return row as R;
}

/** Each statement that answers a question. */
async function statementsOf(engine: DatabaseEngine): Promise<ReadonlyMap<string, readonly CompiledQuery[]>> {
  const found = new Map<string, readonly CompiledQuery[]>();
  const dialect =
    engine === 'sqlite'
      ? { adapter: new SqliteAdapter(), compiler: new SqliteQueryCompiler() }
      : { adapter: new PostgresAdapter(), compiler: new PostgresQueryCompiler() };
  for (const name of Object.keys(questions(noting(new NotingDriver(), dialect)))) {
    const driver = new NotingDriver();
    await questions(noting(driver, dialect))[name]?.();
    found.set(name, driver.seen);
  }
  return found;
}

interface Compiling {
  readonly adapter: SqliteAdapter | PostgresAdapter;
  readonly compiler: SqliteQueryCompiler | PostgresQueryCompiler;
}

function noting(driver: NotingDriver, { adapter, compiler }: Compiling): DatabaseReader {
  return new Kysely<DatabaseSchema>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: () => {
        throw new Error('nobody looks at the tables');
      },
      createQueryCompiler: () => compiler,
    },
  });
}

const rows = Array.from({ length: 50 }, (_, n) =>
  createTestExchangeRow(`exc_${n}`, { created_at: NOW - n * HOUR_MS, metadata_json: '{"env":"prod"}' }),
);

test('sqlite: no query reads a whole table', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  await ingestRows(t, database, rows);
  await database.close();
  const file = new DatabaseSync(join(dataDir, 'floe.db'), { readOnly: true });
  t.after(() => file.close());
  for (const [name, statements] of await statementsOf('sqlite'))
    for (const { sql, parameters } of statements) {
      const values = parameters.map((value) => (value === null ? null : String(value)));
      const plan = file.prepare(`explain query plan ${sql}`).all(...values);
      for (const { detail } of plan)
        assert.doesNotMatch(
          String(detail),
          /^SCAN (?!(walk|names|counted|days|of_org|opening)$|.*CONSTANT ROWS?$|monitor_clocks USING COVERING INDEX )/,
          `${name}: ${detail} ${sql}`,
        );
      const index = INDEXES[name];
      if (index) assert.match(plan.map(({ detail }) => detail).join(', '), index, `${name}: ${sql}`);
    }
});

test('postgres: every query has a suitable index', async (t) => {
  const url = await migrated(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Tables are small here: what still reads one whole has no index that would do.
    await client.query('set enable_seqscan = off');
    for (const [name, statements] of await statementsOf('postgres'))
      for (const { sql, parameters } of statements) {
        const { rows: lines } = await client.query(`explain ${sql}`, [...parameters]);
        const plan = lines.map((line) => String(line['QUERY PLAN'])).join('\n');
        assert.doesNotMatch(plan, /Seq Scan/, `${name}: ${sql}\n${plan}`);
      }
  } finally {
    // Before the database goes, which would end the connection with an error.
    await client.end();
  }
});

test('postgres: the end of an alert of a busy subject does not read all deliveries', async (t) => {
  const client = new pg.Client({ connectionString: await migrated(t) });
  await client.connect();
  try {
    await client.query('alter table alerts drop constraint alerts_org_id_fkey');
    await client.query(
      `insert into alerts (id, org_id, idempotency_key, at, event, phase, subject_kind, subject_id, subject_name, fields_json)
       select 'alert_' || n, $1, n, n, 'monitor_failing', 'opens', 'monitor', 'a', 'a', '{}' from generate_series(1, 3000) n`,
      [TEST_ORG_ID],
    );
    await client.query(
      `insert into alert_deliveries (id, org_id, alert_id, alert_seq, channel_id, channel_name, repetition, state, created_at, due_at)
       select 'delivery_' || id, org_id, id, seq, 'ch_one', 'ops', 0, 'sent', at, at from alerts`,
    );
    await client.query('analyze');
    const [{ sql, parameters } = { sql: '', parameters: [] }] =
      (await statementsOf('postgres')).get('opening of a recovery') ?? [];
    const { rows: lines } = await client.query(`explain ${sql}`, [...parameters]);
    const plan = lines.map((line) => String(line['QUERY PLAN'])).join('\n');
    assert.doesNotMatch(plan, /Seq Scan/, plan);
    assert.match(plan, /alert_deliveries_once/);
  } finally {
    await client.end();
  }
});

async function migrated(t: TestContext): Promise<string> {
  const url = await createTestDatabase(t);
  const database = await openDatabase(url, {
    dataDir: createTemporaryDirectory(t),
    log: silentLog,
    clock: systemClock,
  });
  await ingestRows(t, database, rows);
  await database.close();
  return url;
}
