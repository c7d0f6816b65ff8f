import { placeOf } from '../../platform/file-place.ts';
import type { EntryRow } from '../../store/config-entries.ts';

/** What every entry shows alike. */
export function shownOf(row: EntryRow) {
  return {
    source: placeOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
