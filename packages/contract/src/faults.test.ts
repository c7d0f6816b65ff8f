import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FAULTS } from './faults.ts';

test('docs/reference/errors.md has a row for every code with its status, and no other row', () => {
  const document = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
  const documented = [...document.matchAll(/^\| `(\w+)` \| (\d+) \| [a-z]+ \| \S.*\|$/gm)].map(
    ([, code, status]) => [code, Number(status)],
  );
  assert.deepEqual(
    documented,
    Object.entries(FAULTS).map(([code, { status }]) => [code, status]),
  );
});

test('codes are snake_case and their statuses are errors', () => {
  for (const [code, { status }] of Object.entries(FAULTS)) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(status >= 400 && status <= 599);
  }
});
