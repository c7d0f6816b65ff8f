import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { DatabaseEngine } from '../database-engine.ts';
import type { Migration } from './migration.ts';

/** Creates every table of the first release, with one file per engine. */
export const baselineMigration: Migration = {
  number: 1,
  name: 'baseline',
  async up(writer, engine) {
    for (const statement of loadBaselineStatements(engine)) await sql.raw(statement).execute(writer);
  },
};

/** The statements of a baseline. An empty line separates them, and occurs nowhere else. */
export function loadBaselineStatements(engine: DatabaseEngine): readonly string[] {
  const text = readFileSync(new URL(`baseline/${engine}.sql`, import.meta.url), 'utf8');
  return text.trim().split(/;\n\n/);
}
