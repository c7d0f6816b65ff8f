import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FileRefused } from '../../platform/file-refused.ts';
import { syncedKind } from '../../platform/file-sync.ts';
import { syncOrgs } from '../../platform/test/file.ts';
import { allBoards, boardBySlug, changeBoard } from '../../store/monitoring/boards.ts';
import { monitorById } from '../../store/monitoring/definitions.ts';
import { expireChecks } from '../../store/monitoring/history.ts';
import type { Database } from '../../store/ports.ts';
import { commitBeats } from '../beats.ts';
import { createMonitor, deleteMonitor } from '../monitors.ts';
import { listMonitors } from '../read.ts';
import { sweep } from '../sweep.ts';
import { addOrg, call, changed, MINUTE, monitor, ORG, T0 } from '../test/monitors.ts';
import { FILE_BOARDS } from './file-boards.ts';
import { readBoard } from './status.ts';

const DAY = 24 * 60 * MINUTE;

/** What boards read and write, on one engine. */
export function boardsSuite(name: string, open: (t: TestContext) => Promise<Database>): void {
  async function beat(database: Database, id: string, at: number) {
    const sight = { nowMs: at, gaps: [], othersUntil: Number.POSITIVE_INFINITY };
    await commitBeats(database, [call(id, at)], sight);
  }

  const board = (changes: object = {}) => ({
    slug: 'b',
    groups: [{ name: 'G', monitors: ['a', 'b'] }],
    ...changes,
  });
  const sync = (database: Database, boards: readonly object[], nowMs = T0) =>
    database.transaction((writer) =>
      syncOrgs(writer, [syncedKind(FILE_BOARDS)], [{ id: ORG, boards: boards.map(board) }], { nowMs }),
    );

  test(`${name}: a board reads its monitors' days in one go, those from long before its first day too`, async (t) => {
    const database = await open(t);
    await addOrg(database);
    for (const id of ['a', 'b', 'unshown'])
      await changed(database, { nowMs: T0 }, (changing) => createMonitor(changing, ORG, monitor(id)));
    await beat(database, 'a', T0);
    await beat(database, 'b', T0 + 100 * DAY);
    await sync(database, [{}]);
    const row = await boardBySlug(database.read, 'b');
    assert.ok(row);
    const nowMs = T0 + 100 * DAY + 10 * MINUTE;
    const view = await readBoard(database.read, row, 'UTC', { nowMs, settledUntil: nowMs, gaps: [] });
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

  test(`${name}: boards of the file are taken over, changed, and removed when they leave it`, async (t) => {
    const database = await open(t);
    await addOrg(database);
    await sync(database, [{ public: true }]);
    await sync(database, [{ public: true }], T0 + 1);
    const [made] = await allBoards(database.read);
    assert.deepEqual([made?.updated_at, made?.public, made?.source], [T0, 1, 'file']);
    await sync(database, [], T0 + 2);
    assert.deepEqual(await allBoards(database.read), []);
    const audits = await database.read.selectFrom('audit').select('action').orderBy('at').execute();
    assert.deepEqual(
      audits.map(({ action }) => action),
      ['boards.create', 'boards.delete'],
    );
  });

  test(`${name}: the file of one org never takes the board of another, whoever had its slug first`, async (t) => {
    const database = await open(t);
    await addOrg(database);
    await addOrg(database, 'rival');
    const config = (changes: object) => board({ groups: [], ...changes });
    const file = (ours: readonly object[], theirs: readonly object[]) =>
      database.transaction((writer) =>
        syncOrgs(
          writer,
          [syncedKind(FILE_BOARDS)],
          [
            { id: ORG, boards: ours.map(config) },
            { id: 'rival', boards: theirs.map(config) },
          ],
          { nowMs: T0 },
        ),
      );
    await file([], [{ public: true }, { slug: 'c' }]);
    const made = await boardBySlug(database.read, 'b');
    await database.transaction((writer) =>
      changeBoard(writer, made?.id ?? '', { source: 'console', source_line: null }),
    );
    const before = await allBoards(database.read);
    await assert.rejects(
      file([{ slug: 'free' }, { name: 'Ours' }], [{ slug: 'c' }]),
      (error) => error instanceof FileRefused && error.issues[0]?.path.join('.') === 'orgs.0.boards.1.slug',
    );
    assert.deepEqual(await allBoards(database.read), before, 'nothing of it is taken over');
    // What the file itself gives to another org is made there anew, and goes here.
    await file([{ slug: 'c', name: 'Ours' }], [{ slug: 'd' }]);
    const after = await allBoards(database.read);
    assert.deepEqual(after.map(({ org_id, slug, name }) => [org_id, slug, name]).sort(), [
      [ORG, 'c', 'Ours'],
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
        [ORG, 'boards.create', true],
      ],
    );
    assert.ok(!after.some(({ id, org_id }) => org_id === ORG && before.some((row) => row.id === id)));
  });

  test(`${name}: monitors are listed by status, and the history of removed ones goes with retention`, async (t) => {
    const database = await open(t);
    await addOrg(database);
    for (const id of ['a', 'b'])
      await changed(database, { nowMs: T0 }, (changing) => createMonitor(changing, ORG, monitor(id)));
    await beat(database, 'a', T0 + 1_000);
    await beat(database, 'b', T0 + 1_000);
    await sweep(database, { gaps: [], settledUntil: T0 + 10 * MINUTE, nowMs: T0 + 10 * MINUTE });
    await beat(database, 'b', T0 + 10 * MINUTE);
    const sight = { nowMs: T0 + 10 * MINUTE, settledUntil: T0 + 10 * MINUTE, gaps: [] };
    const failing = await listMonitors(database.read, { orgId: ORG, limit: 9, status: 'failing' }, sight);
    assert.deepEqual(
      failing.rows.map(({ row }) => row.id),
      ['a'],
    );
    const row = await monitorById(database.read, ORG, 'a');
    assert.ok(row);
    await changed(database, { nowMs: T0 + 11 * MINUTE }, (changing) => deleteMonitor(changing, row));
    const left = async (table: 'checks' | 'monitor_periods') =>
      new Set((await database.read.selectFrom(table).select('uid').execute()).map(({ uid }) => uid));
    await expireChecks(database, T0 + 10 * MINUTE);
    assert.ok((await left('monitor_periods')).has(row.uid));
    await beat(database, 'b', T0 + 20 * MINUTE);
    await expireChecks(database, T0 + 15 * MINUTE);
    assert.equal(await monitorById(database.read, ORG, 'a'), undefined);
    const other = await monitorById(database.read, ORG, 'b');
    assert.deepEqual([...(await left('checks'))], [other?.uid]);
    assert.deepEqual([...(await left('monitor_periods'))], [other?.uid]);
  });
}
