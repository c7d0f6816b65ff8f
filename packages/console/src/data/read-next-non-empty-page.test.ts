import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiPage } from './api-client.ts';
import { readNextNonEmptyPage } from './read-next-non-empty-page.ts';

test('a list reads on while pages are empty and have a cursor', async () => {
  const pages: Readonly<Record<string, ApiPage<number>>> = {
    '': { data: [], next_cursor: 'a' },
    a: { data: [], next_cursor: 'b' },
    b: { data: [1], next_cursor: 'c' },
    c: { data: [], next_cursor: null },
  };
  const asked: string[] = [];
  const read = async (cursor: string): Promise<ApiPage<number>> => {
    asked.push(cursor);
    return pages[cursor] ?? { data: [], next_cursor: null };
  };
  assert.deepEqual(await readNextNonEmptyPage(read, ''), { data: [1], next_cursor: 'c' });
  assert.deepEqual(await readNextNonEmptyPage(read, 'c'), { data: [], next_cursor: null });
  assert.deepEqual(asked, ['', 'a', 'b', 'c']);
});
