import { sql } from 'kysely';
import type { DatabaseWriter } from './store-interfaces.ts';

/** The tables whose rows floe.yaml can define. */
const TABLES = ['platform_keys', 'teams', 'monitors', 'boards', 'config_entries', 'channels'] as const;
const ORGS_PER_STATEMENT = 500;

/** Adds `lines` to the stored line numbers of everything that floe.yaml defines in these organizations. */
export async function shiftSourceLines(
  writer: DatabaseWriter,
  orgIds: readonly string[],
  lines: number,
): Promise<void> {
  for (let at = 0; at < orgIds.length; at += ORGS_PER_STATEMENT)
    for (const table of TABLES)
      await sql`
        update ${sql.table(table)} set source_line = source_line + ${lines}
        where source = 'file' and org_id in (${sql.join(orgIds.slice(at, at + ORGS_PER_STATEMENT))})
      `.execute(writer);
}
