import { Fault } from '@floe/contract/faults';
import { placeOf } from '../../platform/stored-key.ts';
import type { EntryRow } from '../../store/config-entries.ts';

/** @throws Fault `managed_by_file` */
export function mustBeOwn(one: string, row: Pick<EntryRow, 'id' | 'source' | 'source_line'>): void {
  if (row.source !== 'file') return;
  const line = row.source_line === null ? '' : `, line ${row.source_line}`;
  throw new Fault('managed_by_file', `The ${one} "${row.id}" stands in floe.yaml${line}; change it there.`);
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
