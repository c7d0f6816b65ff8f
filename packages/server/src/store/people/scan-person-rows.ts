import { type RawBuilder, sql } from 'kysely';
import type { TimePosition } from '../pagination.ts';
import type { DatabaseReader } from '../store-interfaces.ts';
import { buildKeyOwnerCondition, buildPersonCondition, type Person } from './person.ts';

/** The tables that can contain many rows per person. Each has an index on `org_id` and `created_at`. */
export const HIGH_VOLUME_PERSON_TABLES = [
  'exchanges',
  'stored_bodies',
  'stored_responses',
  'relay_decisions',
  'relay_reports',
  'relay_approvals',
] as const;
/** A table that `scanPersonRows` can scan. */
export type HighVolumePersonTable = (typeof HIGH_VOLUME_PERSON_TABLES)[number];

/**
 * Number of rows that one statement scans. No index contains the owner, so most of the rows belong to others.
 */
const ROWS_PER_WINDOW = 5_000;
/** Number of rows per batch. An erasure processes each batch in one write transaction. */
export const PERSON_ROWS_PER_BATCH = 500;

/**
 * Yields the positions of the person's rows in a table, oldest first, in batches of at most 500. The rows of
 * a batch may be changed or deleted before the next batch is read.
 */
export async function* scanPersonRows(
  reader: DatabaseReader,
  table: HighVolumePersonTable,
  person: Person,
): AsyncGenerator<readonly TimePosition[]> {
  let after: TimePosition = { at: -1, id: '' };
  for (;;) {
    const end = await findWindowEnd(reader, table, person.orgId, after);
    const until = end
      ? sql`and created_at <= ${end.at} and (created_at, id) <= (${end.at}, ${end.id})`
      : sql``;
    const { rows } = await sql<TimePosition>`
      select created_at as at, id from ${sql.table(table)}
      where ${isAfter(person.orgId, after)} ${until} and ${conditionOf(table, person)}
      order by created_at, id`.execute(reader);
    for (let at = 0; at < rows.length; at += PERSON_ROWS_PER_BATCH)
      yield rows.slice(at, at + PERSON_ROWS_PER_BATCH);
    if (!end) return;
    after = end;
  }
}

async function findWindowEnd(
  reader: DatabaseReader,
  table: HighVolumePersonTable,
  orgId: string,
  after: TimePosition,
): Promise<TimePosition | undefined> {
  const { rows } = await sql<TimePosition>`
    select created_at as at, id from ${sql.table(table)}
    where ${isAfter(orgId, after)}
    order by created_at, id limit 1 offset ${ROWS_PER_WINDOW}`.execute(reader);
  return rows[0];
}

/**
 * Returns the condition for rows after a position. The redundant condition on time alone tells PostgreSQL
 * which partitions to skip.
 */
function isAfter(orgId: string, { at, id }: TimePosition): RawBuilder<boolean> {
  return sql<boolean>`org_id = ${orgId} and created_at >= ${at} and (created_at, id) > (${at}, ${id})`;
}

function conditionOf(table: HighVolumePersonTable, person: Person): RawBuilder<boolean> {
  if (table === 'exchanges' && person.endUser !== null)
    return buildPersonCondition(sql.ref('end_user'), person);
  // Turns have no owner. Those of requests are found through the requests.
  if (table === 'stored_responses')
    return sql<boolean>`key_id in (
      select id from platform_keys where org_id = ${person.orgId} and ${buildKeyOwnerCondition(person)})`;
  return buildKeyOwnerCondition(person);
}
