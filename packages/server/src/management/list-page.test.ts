import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LIST_ORDERS, type ListOrder } from '@floe/contract/api/page';
import fc from 'fast-check';
import { silentLog } from '../core/log.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg } from '../store/orgs.ts';
import type { Database } from '../store/store-interfaces.ts';
import { getTeamPage, type TeamRow, upsertTeam } from '../store/teams.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { openTestDatabase } from '../store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { paginateListForResponse } from './list-page.ts';

const LETTERS = ['a', 'B', 'b', 'é', 'Z', '_', '%', '!', '😀'];
const text = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
const teams = fc.uniqueArray(fc.record({ id: text, name: text, at: fc.integer({ min: 1, max: 3 }) }), {
  selector: ({ id }) => id,
  maxLength: 9,
});

interface Page {
  readonly data: readonly string[];
  readonly next: string | null;
}

/** Every page until the last. @throws AssertionError when they do not end */
async function pages(
  of: (cursor: string | undefined) => Promise<Page> | Page,
): Promise<(readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (let cursor: string | undefined; all.length < 20; ) {
    const { data, next } = await of(cursor);
    all.push(data);
    if (next === null) return all;
    cursor = next;
  }
  return assert.fail('the pages do not end');
}

async function openFile(t: TestContext): Promise<Database> {
  const dataDir = createTemporaryDirectory(t);
  const place = { dataDir, log: silentLog, clock: new ManualClock() };
  const database = await openDatabase(`sqlite:${dataDir}/floe.db`, place);
  t.after(() => database.close());
  return database;
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`${engine}: a list in memory and a list from a table have the same pages in every order`, async (t) => {
    const database = engine === 'sqlite' ? await openFile(t) : await openTestDatabase(t);
    let run = 0;
    const umlauts = { id: 'a', name: 'Übersetzung A', at: 1 };
    const order = fc.constantFrom<ListOrder>(...LIST_ORDERS);
    const search = fc.option(text, { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        teams,
        order,
        search,
        fc.integer({ min: 1, max: 4 }),
        async (made, sort, part, limit) => {
          const orgId = `org-${run++}`;
          const stamps = { updated_at: 0, updated_by: 'x', source: 'console', source_line: null };
          const rows = made.map(
            ({ id, name, at }): TeamRow => ({
              org_id: orgId,
              id,
              name,
              cost_center: null,
              created_at: at,
              ...stamps,
            }),
          );
          await database.transaction(async (writer) => {
            await insertOrg(writer, {
              id: orgId,
              name: orgId,
              timezone: null,
              created_at: 1,
              updated_at: 1,
              updated_by: 'x',
            });
            for (const row of rows) await upsertTeam(writer, row);
          });
          const query = { limit, sort, search: part };
          const ofTable = await pages(async (cursor) => {
            const page = await getTeamPage(database.read, { orgId, ...query, cursor });
            return { data: page.rows.map(({ id }) => id), next: page.nextCursor };
          });
          const inMemory = await pages((cursor) => {
            const place = ({ id, name, created_at: createdAt }: TeamRow) => ({ id, name, createdAt });
            const page = paginateListForResponse(rows, place, { ...query, cursor });
            return { data: page.data.map(({ id }) => id), next: page.next_cursor };
          });
          assert.deepEqual(inMemory, ofTable);
          if (part === 'ÜbERSETZUNG a') assert.deepEqual(ofTable, [['a']]);
          if (part === undefined) assert.equal(ofTable.flat().length, made.length);
        },
      ),
      {
        numRuns: 60,
        examples: [
          [[umlauts], 'name', 'ÜbERSETZUNG a', 1],
          [[umlauts], 'name', 'übersetzung', 1],
        ],
      },
    );
  });

test('a page continues at its position if the object of the cursor was removed, also in a custom order', () => {
  const all = ['c', 'a', 'b', 'd'];
  for (const sort of [undefined, 'name']) {
    const place = (id: string) => ({ id });
    const whole = paginateListForResponse(all, place, { limit: 9, sort }).data;
    const first = paginateListForResponse(all, place, { limit: 2, sort });
    const left = all.filter((id) => id !== first.data[1]);
    const { data } = paginateListForResponse(left, place, {
      limit: 9,
      sort,
      cursor: first.next_cursor ?? assert.fail(),
    });
    assert.deepEqual(data, whole.slice(2), `${sort}`);
  }
});

for (const cursor of [
  '',
  'x',
  'e30',
  Buffer.from('[1]').toString('base64url'),
  Buffer.from('["a","b"]').toString('base64url'),
])
  test(`a list in memory rejects the cursor "${cursor}"`, () => {
    const query = { limit: 1, cursor, sort: 'newest' };
    assert.throws(() => paginateListForResponse(['a'], (id) => ({ id }), query), { code: 'invalid_request' });
  });
