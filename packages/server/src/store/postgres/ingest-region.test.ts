import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { insertOrg } from '../orgs.ts';
import { getRollupTotals } from '../rollups/read-rollups.ts';
import { HOUR_MS } from '../rollups/rollup-accumulator.ts';
import { ingestRows } from '../test/ingest-rows.ts';
import { openTestDatabase } from '../test/postgres-database.ts';
import { createTestExchangeRow, TEST_ORG_ID } from '../test/rows.ts';

test('a row whose rollups PostgreSQL rejects is skipped, and the other rows of the region are stored', async (t) => {
  const database = await openTestDatabase(t);
  const at = Date.UTC(2026, 10, 21);
  const org = { id: TEST_ORG_ID, name: 'One', created_at: 1, metadata_keys_json: '["task"]' };
  await database.transaction((writer) => insertOrg(writer, org));
  const rows = Array.from({ length: 9 }, (_, n) => {
    // Every fourth text is too large for the key of a rollup, but not for the row.
    const task = randomBytes(n % 4 === 3 ? 20_000 : 4).toString('hex');
    return createTestExchangeRow(`exc_${n}`, { created_at: at + n, metadata_json: JSON.stringify({ task }) });
  });
  const { inserted, rejected, known } = await ingestRows(t, database, rows);
  assert.deepEqual(
    [inserted, known, rejected.map((line) => JSON.parse(line).id)],
    [7, 0, ['exc_3', 'exc_7']],
  );
  const request = { orgId: TEST_ORG_ID, from: at, to: at + HOUR_MS, unit: 'hour' } as const;
  assert.deepEqual(await getRollupTotals(database.read, { ...request, figures: ['requests'] }), [7]);
});
