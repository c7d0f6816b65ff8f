import type { Reader, Writer } from './ports.ts';
import type { BackgroundResponsesTable } from './schema.ts';

export type BackgroundRow = BackgroundResponsesTable;

export async function insertBackground(writer: Writer, row: BackgroundRow): Promise<void> {
  await writer.insertInto('background_responses').values(row).execute();
}

/** Not settled yet; undefined for any other response. */
export function backgroundByResponse(
  reader: Reader,
  orgId: string,
  responseId: string,
): Promise<BackgroundRow | undefined> {
  return reader
    .selectFrom('background_responses')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('response_id', '=', responseId)
    .executeTakeFirst();
}

/** Makes it due, whoever looks after it. */
export async function hurryBackground(writer: Writer, id: string): Promise<void> {
  await writer.updateTable('background_responses').set({ next_at: 0 }).where('id', '=', id).execute();
}

export interface Round {
  readonly owner: string;
  readonly nowMs: number;
  /** Until when others leave to `owner` what it looks after. */
  readonly untilMs: number;
  /** So many at a time of each org: none waits for another's. */
  readonly perOrg: number;
}

/** Renews what is the owner's, takes over what nobody looks after any more, and gives what is due of both. */
export async function dueBackground(
  writer: Writer,
  { owner, nowMs, untilMs, perOrg }: Round,
): Promise<BackgroundRow[]> {
  await writer
    .updateTable('background_responses')
    .set({ owner, owner_until: untilMs })
    .where(({ eb, or }) => or([eb('owner', '=', owner), eb('owner_until', '<=', nowMs)]))
    .execute();
  const due = () =>
    writer.selectFrom('background_responses').where('owner', '=', owner).where('next_at', '<=', nowMs);
  const rows: BackgroundRow[] = [];
  for (const { org_id } of await due().select('org_id').distinct().execute())
    rows.push(
      ...(await due().where('org_id', '=', org_id).selectAll().orderBy('next_at').limit(perOrg).execute()),
    );
  return rows;
}

export async function postponeBackground(writer: Writer, id: string, nextAt: number): Promise<void> {
  await writer
    .updateTable('background_responses')
    .set(({ eb }) => ({ next_at: nextAt, tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** True for the one caller that may settle it. */
export async function takeBackground(writer: Writer, id: string): Promise<boolean> {
  const { numDeletedRows } = await writer
    .deleteFrom('background_responses')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Lets others look after what is the owner's at once. */
export async function releaseBackground(writer: Writer, owner: string): Promise<void> {
  await writer
    .updateTable('background_responses')
    .set({ owner_until: 0 })
    .where('owner', '=', owner)
    .execute();
}
