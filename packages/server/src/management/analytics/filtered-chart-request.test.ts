import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { openDatabase } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import { insertPlatformKey } from '../../store/platform-keys.ts';
import { ingestRows } from '../../store/test/ingest-rows.ts';
import { createTestExchangeRow, createTestPlatformKeyRow, TEST_ORG_ID } from '../../store/test/rows.ts';
import { createTemporaryDirectory } from '../../store/test/temporary-directory.ts';
import { resolveFilteredChartRequest } from './filtered-chart-request.ts';

test('a chart of a key counts with rollups, whether the key is given by its id or its name', async (t) => {
  const database = await openDatabase('sqlite:', {
    dataDir: createTemporaryDirectory(t),
    log: silentLog,
    clock: systemClock,
  });
  t.after(() => database.close());
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 });
    await insertPlatformKey(writer, createTestPlatformKeyRow('key_one', { name: 'laptop' }));
  });
  await ingestRows(t, database, [createTestExchangeRow('exc_1')]);
  const context = { orgId: TEST_ORG_ID, clock: systemClock, reader: database.read } as Parameters<
    typeof resolveFilteredChartRequest
  >[0];
  const resolve = (query: Record<string, string>) => resolveFilteredChartRequest(context, 'UTC', query);
  const byId = await resolve({ key: 'key_one' });
  assert.deepEqual(byId.filter, { facet: 'key', any: ['key_one'], none: [] });
  assert.deepEqual((await resolve({ key: 'laptop' })).filter, byId.filter);
  assert.deepEqual((await resolve({ key: '!laptop' })).filter, { facet: 'key', any: [], none: ['key_one'] });
  // No key has this name, so that no request is counted.
  assert.deepEqual((await resolve({ key: 'none' })).filter, { facet: 'key', any: [''], none: [] });
  const fromRows = await resolve({ key: 'laptop', state: 'failed' });
  assert.equal(fromRows.filter, undefined);
});
