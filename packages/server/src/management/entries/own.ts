import { Fault } from '@floe/contract/faults';
import { type Placed, placeOf, spotOf } from '../../platform/file-place.ts';
import type { EntryRow } from '../../store/config-entries.ts';

/** @throws Fault `managed_by_file` */
export function mustBeOwn(one: string, row: Placed & Pick<EntryRow, 'id'>): void {
  if (row.source !== 'file') return;
  throw new Fault('managed_by_file', `The ${one} "${row.id}" stands in ${spotOf(row)}; change it there.`);
}

/** What every entry shows alike. */
export function shownOf(row: EntryRow) {
  return {
    source: placeOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
