import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractClaims, findBrokenReferences } from './check-claims.mjs';

const told = (text) => extractClaims(text).map(({ line, proven }) => [line, proven]);

test('sentences with numbers, never or always are claims, wherever they stand', () => {
  const page =
    '# 10 things\n\nIt waits 5 s. It is nice.\n\n- Keys are\n  never told.\n- fine\n\n| a | takes 3 |\n|---|---|\n| b | Always |\n';
  assert.deepEqual(told(page), [
    [3, false],
    [5, false],
    [9, false],
    [11, false],
  ]);
});

test('code, identifiers and tables that a test or a generator holds claim nothing', () => {
  assert.deepEqual(
    told(
      '```\n5 s\n```\n\nUse `gpt 5` and HMAC-SHA-256.\n\n<!-- fields: a -->\n| 5 |\n<!-- end -->\n\n<!-- codes -->\n| 404 |\n<!-- end -->\n',
    ),
    [],
  );
});

test('a reference proves its own block and no other', () => {
  const page = '- It waits 5 s. <!-- test: a.test.ts › waits -->\n- It waits 6 s.\n';
  assert.deepEqual(told(page), [
    [1, true],
    [2, false],
  ]);
});

test('a reference leads nowhere without its file or without a test of exactly that name', () => {
  const read = (path) => (path === 'a.test.ts' ? "test('waits', () => {})" : null);
  const broken = (path, name) => findBrokenReferences(`<!-- test: ${path} › ${name} -->`, read).length;
  assert.deepEqual(
    [broken('a.test.ts', 'waits'), broken('a.test.ts', 'wait'), broken('b.test.ts', 'waits')],
    [0, 1, 1],
  );
});
