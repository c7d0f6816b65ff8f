import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROW = /^\| ([^|]+) \| `([^`]+)` \| ([^|]+) \|$/gm;

test('every case in the table names an existing test', () => {
  const table = readFileSync(join(import.meta.dirname, 'test', 'cases.md'), 'utf8');
  const rows = [...table.matchAll(ROW)];
  assert.deepEqual(
    [...new Set(rows.map(([, what = '']) => Number.parseInt(what, 10)).filter((n) => n > 0))],
    Array.from({ length: 14 }, (_, n) => n + 1),
  );
  for (const [, what, file = '', name = ''] of rows) {
    const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
    assert.ok(source.includes(name), `${what}: "${name}" is not in ${file}`);
  }
});
