import { getPlatformKeyNames } from '../../store/platform-keys.ts';
import type { DatabaseReader } from '../../store/ports.ts';

/** Loads display names of the values of a grouping. Keys have names; other values are their own names. */
export async function loadGroupValueNames(
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
