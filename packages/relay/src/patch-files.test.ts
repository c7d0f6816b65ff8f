import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RELAY_TEXT_CHARS } from '@floe/contract/api/relay';
import { findPatchedFiles } from './patch-files.ts';

/** With work that grows with the square of the size, the text of this size takes hours. */
const SIZE = 1 << 20;

test('blanks and lines without names take one pass over the text', () => {
  for (const piece of ['\r', '\u2028', ' ', '\t', '\n', '\n ', '+++ \n', '--- \n', '"', '\n*** Add File: "'])
    assert.equal(
      findPatchedFiles(piece.repeat(SIZE / piece.length)).size,
      piece.includes('Add') ? 1 : 0,
      piece,
    );
});

test('a line with many blanks before its marker names a file', () => {
  const blanks = '\r\u2028\t '.repeat(10_000);
  assert.deepEqual([...findPatchedFiles(`x\n${blanks}*** Update File: .env`).keys()], ['.env']);
});

test('the text of a file has at most the length of a text in an event, also if several sections name it', () => {
  const names = Array.from({ length: 200 }, (_, n) => `*** Update File: src/${n}.ts\n`).join('');
  const section = `*** Begin Patch\n${names}${'+x\n'.repeat(230_000)}`;
  const files = findPatchedFiles(section + section);
  assert.equal(files.size, 200);
  for (const text of files.values()) assert.ok(text.length <= MAX_RELAY_TEXT_CHARS);
});
