import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const KEPT_MS = 3 * 24 * 3_600_000;
/** For clocks that were set back since minutes were last removed. */
const SLACK_MS = 3_600_000;

/**
 * Until now minutes older than three days were removed; from now on they are merged into quarters of an hour. The setting
 * says since when these are whole. A database that has counted nothing yet has none: there they always are.
 */
export const quarters: Migration = {
  number: 22,
  name: 'quarters',
  async up(writer, engine) {
    const nowMs =
      engine === 'sqlite'
        ? sql`unixepoch() * 1000`
        : sql`cast(floor(extract(epoch from statement_timestamp())) as bigint) * 1000`;
    const since = sql`cast(${nowMs} - ${sql.lit(KEPT_MS - SLACK_MS)} as text)`;
    await sql`insert into settings (name, value) select 'quarters_since', ${since}
      where exists (select 1 from rollup_hours)`.execute(writer);
  },
};
