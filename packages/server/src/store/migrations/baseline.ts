import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { DatabaseEngine } from '../database-engine.ts';
import type { Migration } from './migration.ts';

/** The migration that creates every table of the first release, from one SQL file per engine. */
export const baselineMigration: Migration = {
  number: 1,
  name: 'baseline',
  compatibleFrom: 1,
  async up(writer, engine) {
    for (const statement of loadBaselineStatements(engine)) await sql.raw(statement).execute(writer);
  },
};

/**
 * Returns the statements in an engine's baseline file. Statements are separated by an empty line,
 * which occurs nowhere else in the file.
 */
export function loadBaselineStatements(engine: DatabaseEngine): readonly string[] {
  const text = readFileSync(new URL(`baseline/${engine}.sql`, import.meta.url), 'utf8');
  return text.trim().split(/;\n\n/);
}
