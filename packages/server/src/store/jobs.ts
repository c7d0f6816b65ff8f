import type { Selectable } from 'kysely';
import type { JobsTable } from './live-tables.ts';
import type { Reader, Writer } from './ports.ts';

export type JobRow = Selectable<JobsTable>;

const KEPT_MS = 7 * 86_400_000;

export async function insertJob(writer: Writer, row: JobRow): Promise<void> {
  await writer
    .deleteFrom('jobs')
    .where('org_id', '=', row.org_id)
    .where('created_at', '<', row.created_at - KEPT_MS)
    .execute();
  await writer.insertInto('jobs').values(row).execute();
}

export function jobById(reader: Reader, orgId: string, id: string): Promise<JobRow | undefined> {
  return reader
    .selectFrom('jobs')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** How far a job is; returns whether somebody asked that it stop. */
export async function noteProgress(
  writer: Writer,
  id: string,
  progress: Pick<JobRow, 'done' | 'total' | 'seen_at'>,
): Promise<boolean> {
  const row = await writer
    .updateTable('jobs')
    .set(progress)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning('cancel_asked')
    .executeTakeFirst();
  return row?.cancel_asked !== 0;
}

export type JobEnd = Pick<JobRow, 'state' | 'done' | 'total' | 'ended_at' | 'result_json' | 'error'>;

/** The end of a job, once. */
export async function endJob(writer: Writer, id: string, end: JobEnd): Promise<void> {
  await writer.updateTable('jobs').set(end).where('id', '=', id).where('state', '=', 'running').execute();
}

/** Asks a running job to stop; the process that works on it hears of it within seconds. */
export async function askCancel(writer: Writer, orgId: string, id: string): Promise<void> {
  await writer
    .updateTable('jobs')
    .set({ cancel_asked: 1 })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();
}
