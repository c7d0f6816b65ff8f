import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { getExchangePage } from '../../store/exchanges.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { readRequestPages } from './export-requests.ts';

test('an export whose client disconnects reads no further page, even if no request matched so far', async () => {
  let read = 0;
  const readPage: typeof getExchangePage = async () => {
    read += 1;
    // A test that fails ends nevertheless.
    return { rows: [], nextCursor: read < 1_000 ? String(read) : null };
  };
  const pages = readRequestPages({} as DatabaseReader, { orgId: 'acme', limit: 500 }, readPage);
  assert.deepEqual(await pages.next(), { value: [], done: false });
  assert.deepEqual(await pages.next(), { value: [], done: false });
  await pages.return(undefined);
  assert.equal(read, 2);
});
