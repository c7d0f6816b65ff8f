import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ConfigFileRejectedError } from '../../platform/config-file-rejected-error.ts';
import { createResourceKindSyncFactory } from '../../platform/config-file-sync.ts';
import { syncTestOrgs } from '../../platform/test/sync-orgs.ts';
import { findBoardBySlug, listAllBoards, updateBoard } from '../../store/monitoring/boards.ts';
import { getLastMonitorPeriodsByUid } from '../../store/monitoring/last-monitor-periods.ts';
import { expireMonitorHistory } from '../../store/monitoring/monitor-history.ts';
import { insertMonitorPeriods } from '../../store/monitoring/monitor-states.ts';
import { findMonitorById } from '../../store/monitoring/monitors.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { commitBeats } from '../commit-beats.ts';
import { createMonitor, deleteMonitor } from '../monitors.ts';
import { getMonitorViewPage } from '../read-monitors.ts';
import { sweepDueMonitors } from '../sweep.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  MINUTE,
  MONITOR_TEST_ORG,
  MONITOR_TEST_START,
  runMonitorChange,
} from '../test/test-monitors.ts';
import { loadBoardView } from './board-view.ts';
import { CONFIG_FILE_BOARD_RESOURCE_KIND } from './config-file-boards.ts';

const DAY = 24 * 60 * MINUTE;

/** Tests that read and write boards, for one kind of database. */
export function boardsSuite(name: string, open: (t: TestContext) => Promise<Database>): void {
  async function beat(database: Database, id: string, at: number) {
    const context = { nowMs: at, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
    await commitBeats(database, [createTestBeatCall(id, at)], context);
  }

  const board = (changes: object = {}) => ({
    slug: 'b',
    groups: [{ name: 'G', monitors: ['a', 'b'] }],
    ...changes,
  });
  const sync = (database: Database, boards: readonly object[], nowMs = MONITOR_TEST_START) =>
    database.transaction((writer) =>
      syncTestOrgs(
        writer,
        [createResourceKindSyncFactory(CONFIG_FILE_BOARD_RESOURCE_KIND)],
        [{ id: MONITOR_TEST_ORG, boards: boards.map(board) }],
        { nowMs },
      ),
    );

  test(`${name}: a board reads only the last status changes of a monitor that has too many`, async (t) => {
    const database = await open(t);
    await addTestOrg(database);
    const uids: string[] = [];
    for (const id of ['flapping', 'calm']) {
      await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, (changing) =>
        createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition(id)),
      );
      uids.push((await findMonitorById(database.read, MONITOR_TEST_ORG, id))?.uid ?? '');
    }
    const [flapping = '', calm = ''] = uids;
    const changes = Array.from({ length: 601 }, (_, index) => ({
      uid: flapping,
      started_at: MONITOR_TEST_START + (index + 1) * MINUTE,
      status: index % 2 === 0 ? 'healthy' : 'failing',
      reason: 'beat',
    }));
    await database.rowTransaction((writer) => insertMonitorPeriods(writer, changes));
    const read = (maxPeriods: number) =>
      getLastMonitorPeriodsByUid(database.read, uids, MONITOR_TEST_START - DAY, maxPeriods);
    const found = await read(5);
    assert.deepEqual(found.get(flapping), { periods: changes.slice(-4), isTruncated: true });
    assert.deepEqual([found.get(calm)?.periods.length, found.get(calm)?.isTruncated], [1, false]);
    const whole = (await read(1_000)).get(flapping);
    assert.deepEqual([whole?.periods.length, whole?.isTruncated], [602, false]);
  });

  test(`${name}: a board reads the days of its monitors in one query, including periods from before its first day`, async (t) => {
    const database = await open(t);
    await addTestOrg(database);
    for (const id of ['a', 'b', 'unshown'])
      await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, (changing) =>
        createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition(id)),
      );
    await beat(database, 'a', MONITOR_TEST_START);
    await beat(database, 'b', MONITOR_TEST_START + 100 * DAY);
    await sync(database, [{}]);
    const row = await findBoardBySlug(database.read, 'b');
    assert.ok(row);
    const nowMs = MONITOR_TEST_START + 100 * DAY + 10 * MINUTE;
    const view = await loadBoardView(database.read, row, 'UTC', { nowMs, committedUntil: nowMs, gaps: [] });
    const [a, b] = view.groups[0]?.monitors ?? [];
    assert.deepEqual([a?.status, a?.uptimeRatio, a?.days[0]?.failing], ['failing', 0, DAY]);
    assert.deepEqual(
      [b?.status, b?.days.at(-1)],
      ['failing', { healthy: MINUTE, failing: 9 * MINUTE, unknown: 0, paused: 0, waiting: 0 }],
    );
    assert.deepEqual(
      view.downtimes.map(({ monitorId, endedAt }) => [monitorId, endedAt]),
      [
        ['b', null],
        ['a', null],
      ],
    );
  });

  test(`${name}: boards of the file are created, changed, and removed when they leave the file`, async (t) => {
    const database = await open(t);
    await addTestOrg(database);
    await sync(database, [{ public: true }]);
    await sync(database, [{ public: true }], MONITOR_TEST_START + 1);
    const [made] = await listAllBoards(database.read);
    assert.deepEqual([made?.updated_at, made?.public, made?.source], [MONITOR_TEST_START, 1, 'file']);
    await sync(database, [], MONITOR_TEST_START + 2);
    assert.deepEqual(await listAllBoards(database.read), []);
    const audits = await database.read.selectFrom('audit').select('action').orderBy('at').execute();
    assert.deepEqual(
      audits.map(({ action }) => action),
      ['boards.create', 'boards.delete'],
    );
  });

  test(`${name}: the file of one organization never replaces the board of another`, async (t) => {
    const database = await open(t);
    await addTestOrg(database);
    await addTestOrg(database, 'rival');
    const config = (changes: object) => board({ groups: [], ...changes });
    const file = (ours: readonly object[], theirs: readonly object[]) =>
      database.transaction((writer) =>
        syncTestOrgs(
          writer,
          [createResourceKindSyncFactory(CONFIG_FILE_BOARD_RESOURCE_KIND)],
          [
            { id: MONITOR_TEST_ORG, boards: ours.map(config) },
            { id: 'rival', boards: theirs.map(config) },
          ],
          { nowMs: MONITOR_TEST_START },
        ),
      );
    await file([], [{ public: true }, { slug: 'c' }]);
    const made = await findBoardBySlug(database.read, 'b');
    await database.transaction((writer) =>
      updateBoard(writer, made?.id ?? '', { source: 'console', source_line: null }),
    );
    const before = await listAllBoards(database.read);
    await assert.rejects(
      file([{ slug: 'free' }, { name: 'Ours' }], [{ slug: 'c' }]),
      (error) =>
        error instanceof ConfigFileRejectedError &&
        error.issues[0]?.path.join('.') === 'orgs.0.boards.1.slug',
    );
    assert.deepEqual(await listAllBoards(database.read), before, 'nothing of it is taken over');
    // If the file moves a board to another organization, the old one is removed and a new one is created
    // there.
    await file([{ slug: 'c', name: 'Ours' }], [{ slug: 'd' }]);
    const after = await listAllBoards(database.read);
    assert.deepEqual(after.map(({ org_id, slug, name }) => [org_id, slug, name]).sort(), [
      [MONITOR_TEST_ORG, 'c', 'Ours'],
      ['rival', 'b', 'b'],
      ['rival', 'd', 'd'],
    ]);
    const entries = await database.read.selectFrom('audit').selectAll().execute();
    const audits = entries.filter((entry) => /"slug":"c"/.test(entry.after_json ?? entry.before_json ?? ''));
    assert.deepEqual(
      audits.map(({ org_id, action, before_json }) => [org_id, action, before_json === null]),
      [
        ['rival', 'boards.create', true],
        ['rival', 'boards.delete', false],
        [MONITOR_TEST_ORG, 'boards.create', true],
      ],
    );
    assert.ok(
      !after.some(({ id, org_id }) => org_id === MONITOR_TEST_ORG && before.some((row) => row.id === id)),
    );
  });

  test(`${name}: monitors are listed by status, and the history of removed ones is deleted after the retention period`, async (t) => {
    const database = await open(t);
    await addTestOrg(database);
    for (const id of ['a', 'b'])
      await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, (changing) =>
        createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition(id)),
      );
    await beat(database, 'a', MONITOR_TEST_START + 1_000);
    await beat(database, 'b', MONITOR_TEST_START + 1_000);
    await sweepDueMonitors(database, {
      gaps: [],
      committedUntil: MONITOR_TEST_START + 10 * MINUTE,
      nowMs: MONITOR_TEST_START + 10 * MINUTE,
    });
    await beat(database, 'b', MONITOR_TEST_START + 10 * MINUTE);
    const context = {
      nowMs: MONITOR_TEST_START + 10 * MINUTE,
      committedUntil: MONITOR_TEST_START + 10 * MINUTE,
      gaps: [],
    };
    const failing = await getMonitorViewPage(
      database.read,
      { orgId: MONITOR_TEST_ORG, limit: 9, status: 'failing' },
      context,
    );
    assert.deepEqual(
      failing.rows.map(({ row }) => row.id),
      ['a'],
    );
    const row = await findMonitorById(database.read, MONITOR_TEST_ORG, 'a');
    assert.ok(row);
    await runMonitorChange(database, { nowMs: MONITOR_TEST_START + 11 * MINUTE }, (changing) =>
      deleteMonitor(changing, row),
    );
    const left = async (table: 'checks' | 'monitor_periods') =>
      new Set((await database.read.selectFrom(table).select('uid').execute()).map(({ uid }) => uid));
    await expireMonitorHistory(database, MONITOR_TEST_START + 10 * MINUTE);
    assert.ok((await left('monitor_periods')).has(row.uid));
    await beat(database, 'b', MONITOR_TEST_START + 20 * MINUTE);
    await expireMonitorHistory(database, MONITOR_TEST_START + 15 * MINUTE);
    assert.equal(await findMonitorById(database.read, MONITOR_TEST_ORG, 'a'), undefined);
    const other = await findMonitorById(database.read, MONITOR_TEST_ORG, 'b');
    assert.deepEqual([...(await left('checks'))], [other?.uid]);
    assert.deepEqual([...(await left('monitor_periods'))], [other?.uid]);
  });
}
