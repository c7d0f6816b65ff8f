import type { Selectable } from 'kysely';
import { tellLive } from './live-events.ts';
import type { BreakerChangesTable } from './live-tables.ts';
import { type Page, type PageRequest, type TimeRequest, timePage } from './pages.ts';
import type { Reader, Writer } from './ports.ts';

export type BreakerChangeRow = Selectable<BreakerChangesTable>;

/** Keeps a breaker's change of state, and tells whoever watches the org. */
export async function insertBreakerChange(writer: Writer, row: BreakerChangeRow): Promise<void> {
  await writer.insertInto('breaker_changes').values(row).execute();
  const { org_id, breaker_id, at, state, because } = row;
  await tellLive(writer, {
    orgId: org_id,
    topic: 'breakers',
    at,
    data: { breaker: breaker_id, state, because },
  });
}

export interface BreakerChangeQuery extends PageRequest, TimeRequest {
  /** Of this breaker alone. */
  readonly breakerId?: string | undefined;
}

/** Changes of an org's breakers, newest first. */
export function breakerChangePage(
  reader: Reader,
  { orgId, breakerId, ...time }: BreakerChangeQuery,
): Promise<Page<BreakerChangeRow>> {
  const rows = reader.selectFrom('breaker_changes').selectAll().where('org_id', '=', orgId);
  return timePage(breakerId === undefined ? rows : rows.where('breaker_id', '=', breakerId), 'at', time);
}
