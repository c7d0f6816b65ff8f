import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trimToFirstPage } from './trim-to-first-page.ts';

test('a list that begins anew keeps its first page', () => {
  const list = { pages: [['a', 'b'], ['c']], pageParams: ['', 'x'] };
  assert.deepEqual(trimToFirstPage(list), { pages: [['a', 'b']], pageParams: [''] });
});
