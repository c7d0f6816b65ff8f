import type { Selectable } from 'kysely';
import { publishLiveEvent } from './live-events.ts';
import type { BreakerChangesTable } from './live-tables.ts';
import { getTimeRangePage, type PageRequest, type RowPage, type TimeRangeRequest } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type BreakerChangeRow = Selectable<BreakerChangesTable>;

/** Stores a breaker's state change and publishes it to event streams. */
export async function insertBreakerChange(writer: DatabaseWriter, row: BreakerChangeRow): Promise<void> {
  await writer.insertInto('breaker_changes').values(row).execute();
  const { org_id, breaker_id, at, state, because } = row;
  await publishLiveEvent(writer, {
    orgId: org_id,
    topic: 'breakers',
    at,
    data: { breaker: breaker_id, state, reason: because },
  });
}

/** Selects the state changes of breakers in an organization. */
export interface BreakerChangeQuery extends PageRequest, TimeRangeRequest {
  /** Only changes of this breaker. */
  readonly breakerId?: string | undefined;
}

/** Returns a page of state changes of an organization's breakers, newest first. */
export function getBreakerChangePage(
  reader: DatabaseReader,
  { orgId, breakerId, ...time }: BreakerChangeQuery,
): Promise<RowPage<BreakerChangeRow>> {
  const rows = reader.selectFrom('breaker_changes').selectAll().where('org_id', '=', orgId);
  return getTimeRangePage(
    breakerId === undefined ? rows : rows.where('breaker_id', '=', breakerId),
    'at',
    time,
  );
}
