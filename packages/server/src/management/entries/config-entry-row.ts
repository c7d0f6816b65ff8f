import { createId } from '../../core/ids.ts';
import { toResourceSource } from '../../platform/source-location.ts';
import type { ConfigEntryRow } from '../../store/config-entries.ts';
import type { OperationContext } from '../operation.ts';

type Mutable<Value> = Value extends object
  ? { -readonly [Name in keyof Value]: Mutable<Value[Name]> }
  : Value;

/** Returns a deep copy of settings, in the mutable type that responses use. */
export function cloneJson<Value>(value: Value): Mutable<Value> {
  return JSON.parse(JSON.stringify(value));
}

/** Returns the metadata that all config entries have in common. */
export function toConfigEntryMetadata(row: ConfigEntryRow) {
  return {
    source: toResourceSource(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

/**
 * Builds the row for a config entry that the API writes. The entry is new, or replaces `before`.
 */
export function buildConfigEntryRow(
  { orgId, actor, clock }: OperationContext,
  before: ConfigEntryRow | null,
  columns: Pick<ConfigEntryRow, 'kind' | 'id' | 'entry_json'> & Partial<ConfigEntryRow>,
): ConfigEntryRow {
  const now = clock.now();
  return {
    org_id: orgId,
    row_id: before?.row_id ?? createId('cfg', now),
    position: 0,
    secrets_sealed: null,
    secrets_version: 0,
    source: 'console',
    source_file: null,
    source_line: null,
    created_at: before?.created_at ?? now,
    updated_at: now,
    updated_by: actor.id,
    ...columns,
  };
}
