import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPages } from './file-download.ts';

test('an export whose client disconnects reads no further page, even if no row matched so far', async () => {
  let read = 0;
  const pages = readPages(async () => {
    read += 1;
    // A test that fails ends nevertheless.
    return { rows: [], nextCursor: read < 1_000 ? String(read) : null };
  });
  assert.deepEqual(await pages.next(), { value: [], done: false });
  assert.deepEqual(await pages.next(), { value: [], done: false });
  await pages.return(undefined);
  assert.equal(read, 2);
});
