import { getPlatformKeyNames } from '../../store/platform-keys.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';

/**
 * Loads the names of a grouping's platform keys. The returned function returns null for values that
 * are shown unchanged.
 */
export async function loadKeyNameLookup(
  reader: DatabaseReader,
  orgId: string,
  groupBy: string | undefined,
  values: readonly (string | null)[],
): Promise<(value: string | null) => string | null> {
  if (groupBy !== 'key') return () => null;
  const ids = values.flatMap((value) => (value ? [value] : []));
  const names = await getPlatformKeyNames(reader, orgId, ids);
  return (value) => (value === null ? null : (names.get(value) ?? null));
}
