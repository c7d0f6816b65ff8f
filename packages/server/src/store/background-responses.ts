import type { BackgroundResponsesTable } from './schema.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type BackgroundResponseRow = BackgroundResponsesTable;

export async function insertBackgroundResponse(
  writer: DatabaseWriter,
  row: BackgroundResponseRow,
): Promise<void> {
  await writer.insertInto('background_responses').values(row).execute();
}

/**
 * Returns the background response with this id. Returns undefined if the response is finalized or
 * is not a background response.
 */
export function findBackgroundResponse(
  reader: DatabaseReader,
  orgId: string,
  responseId: string,
): Promise<BackgroundResponseRow | undefined> {
  return reader
    .selectFrom('background_responses')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('response_id', '=', responseId)
    .executeTakeFirst();
}

/** Returns whether background responses that were requested before `beforeMs` are still in progress. */
export async function hasBackgroundResponsesBefore(
  reader: DatabaseReader,
  orgId: string,
  beforeMs: number,
): Promise<boolean> {
  const row = await reader
    .selectFrom('background_responses')
    .select('id')
    .where('org_id', '=', orgId)
    .where('created_at', '<', beforeMs)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes a background response due for polling now, in whichever process has its lease. */
export async function markBackgroundResponseDue(writer: DatabaseWriter, id: string): Promise<void> {
  await writer.updateTable('background_responses').set({ next_at: 0 }).where('id', '=', id).execute();
}

/** Selects the background responses that a process polls. */
export interface BackgroundPollSelection {
  readonly owner: string;
  readonly nowMs: number;
  /** When the leases of `owner` end. Until then, no other process polls these responses. */
  readonly leaseUntilMs: number;
  /** Maximum number of responses per organization, so that no organization delays the others. */
  readonly maxPerOrg: number;
}

/**
 * Renews the leases that the process `owner` holds. Takes over responses whose lease has expired. Returns the
 * responses that are due.
 */
export async function leaseDueBackgroundResponses(
  writer: DatabaseWriter,
  { owner, nowMs, leaseUntilMs, maxPerOrg }: BackgroundPollSelection,
): Promise<BackgroundResponseRow[]> {
  await writer
    .updateTable('background_responses')
    .set({ owner, owner_until: leaseUntilMs })
    .where(({ eb, or }) => or([eb('owner', '=', owner), eb('owner_until', '<=', nowMs)]))
    .execute();
  const due = () =>
    writer.selectFrom('background_responses').where('owner', '=', owner).where('next_at', '<=', nowMs);
  const rows: BackgroundResponseRow[] = [];
  for (const { org_id } of await due().select('org_id').distinct().execute())
    rows.push(
      ...(await due().where('org_id', '=', org_id).selectAll().orderBy('next_at').limit(maxPerOrg).execute()),
    );
  return rows;
}

/** Returns the ids of the background responses whose lease the process `owner` has. */
export async function listLeasedBackgroundResponseIds(
  reader: DatabaseReader,
  owner: string,
): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('background_responses')
    .select('id')
    .where('owner', '=', owner)
    .execute();
  return rows.map(({ id }) => id);
}

/** Sets the time of the next poll of a background response, and increments its attempt count. */
export async function scheduleNextBackgroundPoll(
  writer: DatabaseWriter,
  id: string,
  nextAt: number,
): Promise<void> {
  await writer
    .updateTable('background_responses')
    .set(({ eb }) => ({ next_at: nextAt, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/**
 * Deletes a background response's row. Returns true to exactly one of several concurrent callers.
 * Only that caller may finalize the response.
 */
export async function claimBackgroundResponse(writer: DatabaseWriter, id: string): Promise<boolean> {
  const { numDeletedRows } = await writer
    .deleteFrom('background_responses')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Releases an owner's background responses, so that other processes can poll them immediately. */
export async function releaseBackgroundResponses(writer: DatabaseWriter, owner: string): Promise<void> {
  await writer
    .updateTable('background_responses')
    .set({ owner_until: 0 })
    .where('owner', '=', owner)
    .execute();
}
