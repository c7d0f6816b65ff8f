import { getPlatformKeyNames } from '../../store/platform-keys.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';

/**
 * Loads the display names of a grouping's values. Platform keys are shown by name. All other values
 * are shown unchanged.
 */
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
