import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadBaselineStatements } from './baseline.ts';

/** A partitioned table has the time in its key, and PostgreSQL numbers transactions. */
const DIFFERENT = /^exchanges: (id text|constraint exchanges_key)|^live_events: xid /;

test('the baselines of both engines have the same tables, columns, constraints and indexes', () => {
  const sqlite = linesOf('sqlite');
  assert.ok(sqlite.length > 400, `${sqlite.length} lines`);
  assert.deepEqual(linesOf('postgres'), sqlite);
});

/** Columns and constraints of every table, `table: line`, and every index, without what only one engine says. */
function linesOf(engine: 'sqlite' | 'postgres'): readonly string[] {
  return loadBaselineStatements(engine)
    .flatMap((statement) => {
      const [, table = '', body = ''] = /^create table (\w+) \(\n(.*)\n\)/s.exec(statement) ?? [];
      if (table === '') return /^create (unique )?index/.test(statement) ? [statement] : [];
      return body.split(',\n').map((line) => `${table}: ${line.trim()}`);
    })
    .map((line) =>
      line
        .replace(' collate "C"', '')
        .replace('bigserial not null primary key', 'integer primary key autoincrement'),
    )
    .filter((line) => !DIFFERENT.test(line))
    .sort();
}
