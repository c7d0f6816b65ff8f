import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type AlertFilters, getAlertPage } from './alerts.ts';
import { type AuditEntryFilters, appendAuditEntries, getAuditEntryPage } from './audit-entries.ts';
import { insertOrg } from './orgs.ts';
import type { PageRequest, RowPage } from './pagination.ts';
import {
  countRelayDecisionsByRule,
  findRelayDecisionById,
  getRelayDecisionPage,
  listRelayDecisionEvents,
  listRelayDecisionsSince,
} from './relay/relay-decisions.ts';
import { getRelayReportPage } from './relay/relay-reports.ts';
import { getRelaySessionPage } from './relay/relay-session-summaries.ts';
import { addRelaySessionCounts } from './relay/relay-sessions.ts';
import type { Database, DatabaseReader } from './store-interfaces.ts';
import { TEST_ORG_ID } from './test/rows.ts';

const ROWS = 200;
/** Rows scanned per page: so few that pages end within a scan. */
const MAX_SCANNED_ROWS = 40;
const LIMIT = 7;

interface Row {
  readonly id: string;
  readonly n: number;
}

/** All rows of a list, and its page with a filter, read with the smallest maximum of scanned rows. */
interface FilteredList<Filters> {
  readonly page: (reader: DatabaseReader, request: PageRequest & Filters) => Promise<RowPage<{ id: string }>>;
  readonly filters: readonly { readonly filter: Filters; readonly matches: (n: number) => boolean }[];
}

/** Rows with the same time, so that their order depends on the id. */
const timeOf = (n: number) => 1_000_000 + Math.floor(n / 3);
const idOf = (n: number) => `row_${String(n).padStart(4, '0')}`;
const rows: readonly Row[] = Array.from({ length: ROWS }, (_, n) => ({ id: idOf(n), n }));

const AUDIT: FilteredList<AuditEntryFilters> = {
  page: (reader, request) => getAuditEntryPage(reader, request, MAX_SCANNED_ROWS),
  filters: [
    { filter: {}, matches: () => true },
    { filter: { actor: 'actor-1' }, matches: (n) => n % 2 === 1 },
    { filter: { actor: 'actor-1', action: 'keys.create' }, matches: (n) => n % 2 === 1 && n % 5 === 0 },
    { filter: { subject: 'subject-3', action: 'none.create' }, matches: () => false },
    { filter: { kinds: ['keys', 'routes'] }, matches: (n) => n % 5 < 2 },
    { filter: { kinds: ['keys', 'routes'], actor: 'actor-0' }, matches: (n) => n % 5 < 2 && n % 2 === 0 },
  ],
};
const ALERTS: FilteredList<AlertFilters> = {
  page: (reader, request) => getAlertPage(reader, request, MAX_SCANNED_ROWS),
  filters: [
    { filter: { event: 'rare' }, matches: (n) => n === 3 },
    { filter: { event: 'none' }, matches: () => false },
    { filter: { subject: 'subject-1', event: 'usual' }, matches: (n) => n % 4 === 1 },
    { filter: { channel: 'channel-a', state: 'failed' }, matches: (n) => n % 50 === 0 },
    { filter: { channel: 'channel-b' }, matches: () => false },
  ],
};
const DECISIONS: FilteredList<Parameters<typeof getRelayDecisionPage>[1]> = {
  page: (reader, request) => getRelayDecisionPage(reader, request, MAX_SCANNED_ROWS),
  filters: [
    { filter: all({ agent: 'none' }), matches: () => false },
    { filter: all({ repository: 'git/1' }), matches: (n) => n % 4 === 1 },
    { filter: all({ decision: 'allow', rule: 'rule-0' }), matches: (n) => n % 10 === 0 && n % 3 > 0 },
    { filter: all({ decision: 'deny', key: 'name' }), matches: (n) => n % 3 === 0 },
    { filter: all({ q: 'NUMBER 17' }), matches: (n) => String(n).startsWith('17') },
    { filter: all({ from: timeOf(50), to: timeOf(90), agent: 'cursor' }), matches: (n) => n >= 48 && n < 90 },
  ],
};

function all<Filters>(filters: Filters): PageRequest & Filters {
  return { ...filters, orgId: TEST_ORG_ID, limit: LIMIT };
}

/** Tests of lists that check filters on the rows, on each database engine. */
export function timeScanSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithRows = async (t: TestContext) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      for (const id of [TEST_ORG_ID, 'org_two']) await insertOrg(writer, { id, name: id, created_at: 1 });
      for (const org_id of [TEST_ORG_ID, 'org_two']) await insertRows(writer, org_id);
    });
    return database;
  };

  test(`${engine}: a list with filters has each matching row once, in order, and reads a bounded number of rows per page`, async (t) => {
    const { read } = await openWithRows(t);
    await expectPages(read, AUDIT, 'audit');
    await expectPages(read, ALERTS, 'alerts');
    await expectPages(read, DECISIONS, 'decisions');
    const { rows: reports } = await getRelayReportPage(read, all({ type: 'rare' }));
    assert.deepEqual(
      reports.map(({ id }) => id),
      [idOf(3)],
    );
    const first = await getRelayReportPage(read, all({ type: 'none' }), MAX_SCANNED_ROWS);
    assert.equal(first.rows.length, 0);
    assert.ok(first.nextCursor, 'the page ends after the maximum number of rows');
  });

  test(`${engine}: lists of decisions do not read the events, which can be long`, async (t) => {
    const { read } = await openWithRows(t);
    const found = [
      ...(await getRelayDecisionPage(read, all({}))).rows,
      ...(await getRelayDecisionPage(read, all({ agent: 'cursor' }))).rows,
      ...(await listRelayDecisionsSince(read, TEST_ORG_ID, 0, LIMIT)),
      await findRelayDecisionById(read, TEST_ORG_ID, idOf(0)),
    ];
    assert.equal(found.length, 3 * LIMIT + 1);
    for (const row of found) assert.ok(row !== undefined && row.id !== '' && !('event_json' in row));
    const events = await listRelayDecisionEvents(read, 'org_two', [idOf(0), idOf(3), 'none']);
    assert.deepEqual([...events], [[idOf(3), '{"n":3}']]);
  });

  test(`${engine}: decisions are counted per rule since a time, at most the given number`, async (t) => {
    const { read } = await openWithRows(t);
    const counts = await countRelayDecisionsByRule(read, TEST_ORG_ID, timeOf(100), 1_000);
    // The rows from 99 have the time of row 100.
    assert.deepEqual(
      [...counts],
      [
        ['rule-0', 10],
        ['rule-5', 10],
      ].toSorted(),
    );
    const capped = await countRelayDecisionsByRule(read, TEST_ORG_ID, 0, 4);
    assert.deepEqual([...capped.values()], [4, 4]);
    assert.deepEqual([...(await countRelayDecisionsByRule(read, 'org_none', 0, 4))], []);
  });

  test(`${engine}: pages of agent sessions have the totals of all keys, and add up a bounded number of sessions`, async (t) => {
    const database = await open(t);
    await database.transaction((writer) =>
      insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 }),
    );
    await database.transaction((writer) => addRelaySessionCounts(writer, sessionRows()));
    const read = (more: object, maximum?: number) => collectSessions(database.read, more, maximum);
    const every = await read({});
    assert.equal(every.length, new Set(every.map(({ name }) => name)).size);
    assert.deepEqual(
      every.map(({ name }) => name),
      expectedSessions().map(({ name }) => name),
    );
    for (const session of expectedSessions())
      assert.deepEqual(
        every.find(({ name }) => name === session.name),
        session,
      );
    const named = expectedSessions().filter(({ name }) => !name.startsWith(' '));
    const covered = named.filter(({ calls, requests }) => calls > 0 && requests > 0);
    assert.deepEqual(await read({ covered: true }, 8), covered);
    assert.deepEqual(
      await read({ covered: false }, 8),
      named.filter(({ calls, requests }) => calls === 0 && requests > 0),
    );
    const none = await getRelaySessionPage(database.read, all({ owner: 'none' }), 8);
    assert.deepEqual(none.rows, []);
    assert.ok(none.nextCursor, 'the page ends after the maximum number of sessions');
  });

  test(`${engine}: an agent session is found by the owner and the agent that the list shows`, async (t) => {
    const database = await open(t);
    await database.transaction((writer) =>
      insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 }),
    );
    const [row] = sessionRows();
    assert.ok(row);
    const models = { ...row, key_id: 'a', owner: 'ana', agent: 'zed', model_requests: 1, relay_calls: 0 };
    const relay = { ...row, key_id: 'b', owner: 'zoe', agent: 'codex', model_requests: 0, relay_calls: 1 };
    await database.transaction((writer) => addRelaySessionCounts(writer, [models, relay]));
    const read = async (more: object) => (await getRelaySessionPage(database.read, all(more))).rows;
    assert.deepEqual(
      (await read({})).map(({ owner, agent }) => [owner, agent]),
      [['ana', 'codex']],
    );
    assert.equal((await read({ owner: 'ana', agent: 'codex' })).length, 1);
    for (const other of [{ owner: 'zoe' }, { agent: 'zed' }]) assert.deepEqual(await read(other), []);
  });
}

/** Reads all pages of each filter, and compares them with the rows that match. */
async function expectPages<Filters>(reader: DatabaseReader, list: FilteredList<Filters>, name: string) {
  for (const { filter, matches } of list.filters) {
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await list.page(reader, { ...all(filter), ...(cursor && { cursor }) });
      seen.push(...page.rows.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
      pages += 1;
      assert.ok(pages < ROWS, 'the pages end');
    } while (cursor !== undefined);
    const expected = rows.filter(({ n }) => matches(n)).map(({ id }) => id);
    assert.deepEqual(seen, expected.toReversed(), `${name}: ${JSON.stringify(filter)}`);
  }
}

async function insertRows(writer: Parameters<Parameters<Database['transaction']>[0]>[0], org_id: string) {
  const prefix = org_id === TEST_ORG_ID ? '' : `${org_id} `;
  const entries = rows.map(({ id, n }) => ({
    id: `${prefix}${id}`,
    org_id,
    at: timeOf(n),
    actor: `actor-${n % 2}`,
    action: ['keys.create', 'routes.update', 'teams.create'][Math.min(2, n % 5)] ?? '',
    subject: `subject-${n % 4}`,
    before_json: null,
    after_json: null,
  }));
  await appendAuditEntries(writer, entries);
  const alerts = rows.map(({ id, n }) => ({
    id: `${prefix}${id}`,
    org_id,
    idempotency_key: id,
    at: timeOf(n),
    event: n === 3 ? 'rare' : 'usual',
    phase: 'opens',
    subject_kind: 'monitor',
    subject_id: `subject-${n % 4}`,
    subject_name: 'job',
    fields_json: '{}',
  }));
  await writer.insertInto('alerts').values(alerts).execute();
  const deliveries = rows.map(({ id, n }) => ({
    id: `${prefix}del_${id}`,
    org_id,
    alert_id: `${prefix}${id}`,
    alert_seq: n,
    channel_id: 'chn_a',
    channel_name: 'channel-a',
    repetition: 0,
    state: n % 50 === 0 ? 'failed' : 'sent',
    created_at: timeOf(n),
    due_at: timeOf(n),
    attempts: 0,
  }));
  await writer.insertInto('alert_deliveries').values(deliveries).execute();
  await writer
    .insertInto('relay_decisions')
    .values(rows.map((row) => relayDecision(row, org_id)))
    .execute();
  const reports = rows.map(({ id, n }) => ({
    id,
    org_id,
    created_at: timeOf(n),
    type: n === 3 ? 'rare' : 'usual',
    session_id: null,
    tool_use_id: null,
    agent: 'cursor',
    agent_version: null,
    key_id: 'key_1',
    key_name: 'name',
    owner: null,
    details_json: '{}',
  }));
  await writer.insertInto('relay_reports').values(reports).execute();
}

function relayDecision({ id, n }: Row, org_id: string) {
  const none = {
    agent_version: null,
    client_version: null,
    team: null,
    owner: null,
    cwd: null,
    reason: null,
  };
  return {
    ...none,
    id,
    org_id,
    created_at: timeOf(n),
    event: 'shell',
    decision: n % 3 === 0 ? 'deny' : 'allow',
    enforced_decision: 'allow',
    rule: n % 5 === 0 ? `rule-${n % 10}` : null,
    mode: null,
    input_summary: `number ${n}`,
    session_id: null,
    agent: 'cursor',
    key_id: 'key_1',
    key_name: 'name',
    repository: `git/${n % 4}`,
    user_message: null,
    agent_message: null,
    matches_json: '[]',
    findings_json: '[]',
    event_json: n === 3 ? '{"n":3}' : null,
    approval_id: null,
    latency_us: 1,
  };
}

/** Forty sessions. Some of them use two keys, some have the same time, and some requests have no session. */
function sessionRows() {
  return Array.from({ length: 40 }, (_, n) => ({
    org_id: TEST_ORG_ID,
    session_id: n % 10 === 9 ? '' : `session ${n % 30}`,
    key_id: `key_${n % 10 === 9 ? n : n % 2}${n >= 30 ? '_relay' : ''}`,
    key_name: 'name',
    owner: null,
    agent: 'cursor',
    agent_version: null,
    client_version: null,
    first_seen_at: 1,
    last_seen_at: 1_000 + Math.floor((n * 7) / 20),
    model_requests: n >= 30 ? 0 : 1 + n,
    last_model_request_at: null,
    relay_calls: n >= 30 ? 5 : 0,
    last_relay_call_at: null,
  }));
}

interface SessionTotals {
  readonly name: string;
  readonly requests: number;
  readonly calls: number;
}

function nameOf({ session_id, key_id }: { readonly session_id: string; readonly key_id: string }): string {
  return session_id === '' ? ` ${key_id}` : session_id;
}

/** The totals of each session, computed from all rows. */
function expectedSessions(): readonly SessionTotals[] {
  const sessions = [...Map.groupBy(sessionRows(), nameOf)].map(([name, own]) => {
    const [last] = own.toSorted(
      (one, other) => other.last_seen_at - one.last_seen_at || (one.key_id < other.key_id ? 1 : -1),
    );
    return { name, own, last };
  });
  return sessions
    .toSorted(
      ({ last: one }, { last: other }) =>
        (other?.last_seen_at ?? 0) - (one?.last_seen_at ?? 0) ||
        compare(other?.key_id, one?.key_id) ||
        compare(other?.session_id, one?.session_id),
    )
    .map(({ name, own }) => ({
      name,
      requests: own.reduce((sum, row) => sum + row.model_requests, 0),
      calls: own.reduce((sum, row) => sum + row.relay_calls, 0),
    }));
}

function compare(one = '', other = ''): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

async function collectSessions(reader: DatabaseReader, more: object, maximum?: number) {
  const found: SessionTotals[] = [];
  let cursor: string | undefined;
  do {
    const page = await getRelaySessionPage(reader, { ...all(more), ...(cursor && { cursor }) }, maximum);
    for (const { session_id, first_key, model_requests, relay_calls } of page.rows) {
      const name = nameOf({ session_id, key_id: first_key });
      found.push({ name, requests: model_requests, calls: relay_calls });
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
