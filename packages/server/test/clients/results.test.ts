import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceResultTable } from './results.ts';

const row = { name: 'a', version: '1', surface: 'chat', date: '2026-01-01' };
const PAGE = 'before\n<!-- results: sdks -->\n<!-- end -->\nafter\n';

test('a run replaces its own rows, and keeps the others with their date', () => {
  const first = replaceResultTable(PAGE, 'sdks', [
    { ...row, cells: ['1/1'] },
    { ...row, name: 'b', cells: ['not run: no | here'] },
  ]);
  const second = replaceResultTable(first, 'sdks', [
    { ...row, version: '2', date: '2026-02-02', cells: ['0/1'] },
  ]);
  const lines = second.split('\n').filter((line) => line.startsWith('| '));
  assert.equal(lines.length, 3);
  assert.match(lines[1] ?? '', /^\| a \| 2 \| chat \| 0\/1 \|.*\| 2026-02-02 \|$/);
  assert.match(lines[2] ?? '', /^\| b \| 1 \| chat \| not run: no \/ here \|.*\| 2026-01-01 \|$/);
  assert.ok(second.startsWith('before\n') && second.endsWith('<!-- end -->\nafter\n'));
});

test('a page without the table is rejected', () => {
  assert.throws(() => replaceResultTable(PAGE, 'agents', []), /no table agents/);
});
