import type { Selectable } from 'kysely';
import type { BackgroundJobsTable } from './live-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type BackgroundJobRow = Selectable<BackgroundJobsTable>;

const JOB_RETENTION_MS = 7 * 86_400_000;

/** Stores a new background job, and deletes the organization’s jobs that are older than 7 days. */
export async function insertBackgroundJob(writer: DatabaseWriter, row: BackgroundJobRow): Promise<void> {
  await writer
    .deleteFrom('jobs')
    .where('org_id', '=', row.org_id)
    .where('created_at', '<', row.created_at - JOB_RETENTION_MS)
    .execute();
  await writer.insertInto('jobs').values(row).execute();
}

export function findBackgroundJobById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<BackgroundJobRow | undefined> {
  return reader
    .selectFrom('jobs')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Stores a background job's progress. Returns whether the job must stop, because its cancellation was requested or
 * it is no longer running.
 */
export async function recordBackgroundJobProgress(
  writer: DatabaseWriter,
  id: string,
  progress: Pick<BackgroundJobRow, 'done' | 'total' | 'seen_at'>,
): Promise<boolean> {
  const row = await writer
    .updateTable('jobs')
    .set(progress)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning('cancel_requested')
    .executeTakeFirst();
  return row?.cancel_requested !== 0;
}

/** The columns that are set when a background job ends. */
export type BackgroundJobResult = Pick<
  BackgroundJobRow,
  'state' | 'done' | 'total' | 'ended_at' | 'result_json' | 'error'
>;

/** Stores the result of a background job, unless a result is already stored. */
export async function finishBackgroundJob(
  writer: DatabaseWriter,
  id: string,
  end: BackgroundJobResult,
): Promise<void> {
  await writer.updateTable('jobs').set(end).where('id', '=', id).where('state', '=', 'running').execute();
}

/**
 * Requests the cancellation of a background job in progress. The process that runs it notices the
 * request within seconds.
 */
export async function requestBackgroundJobCancellation(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
): Promise<void> {
  await writer
    .updateTable('jobs')
    .set({ cancel_requested: 1 })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();
}
