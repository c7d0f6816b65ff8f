import { Fault } from '@floe/contract/faults';
import { monitorsByIds } from '../store/monitoring/definitions.ts';
import type { Reader } from '../store/ports.ts';

/** A monitor that something names, and the field of the request that does. */
export interface NamedMonitor {
  readonly id: string;
  readonly param: string;
}

/**
 * Something may go on naming monitors that were removed since: it refuses only those that it did not name before.
 *
 * @param before ids that it named already
 * @throws Fault `invalid_request` with `param` for a monitor that the org does not have
 */
export async function requireMonitors(
  reader: Reader,
  orgId: string,
  named: readonly NamedMonitor[],
  before: readonly string[],
): Promise<void> {
  const known = new Set(before);
  const ids = named.map(({ id }) => id);
  for (const { id } of await monitorsByIds(reader, orgId, ids)) known.add(id);
  for (const { id, param } of named)
    if (!known.has(id)) throw new Fault('invalid_request', `${param}: there is no such monitor`, { param });
}
