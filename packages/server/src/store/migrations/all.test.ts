import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { MIGRATIONS } from './all.ts';

test('every migration on disk is listed once, in the order of its number, under the name of its file', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => /^\d{4}-/.test(file));
  const listed = MIGRATIONS.map(({ number, name }) => `${String(number).padStart(4, '0')}-${name}.ts`);
  assert.deepEqual(listed, files.sort());
});
