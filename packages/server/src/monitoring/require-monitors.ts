import { Fault } from '@floe/contract/faults';
import { findMonitorsByIds } from '../store/monitoring/monitors.ts';
import type { DatabaseReader } from '../store/ports.ts';

/** A monitor id, and the field of the request that contains it. */
export interface MonitorIdParameter {
  readonly id: string;
  readonly param: string;
}

/**
 * Checks that monitors exist. Monitors that were removed since are accepted if they were already named.
 *
 * @param before ids that were already named
 * @throws Fault `invalid_request` with `param` for a monitor that the organization does not have
 */
export async function requireMonitorsExist(
  reader: DatabaseReader,
  orgId: string,
  named: readonly MonitorIdParameter[],
  before: readonly string[],
): Promise<void> {
  const known = new Set(before);
  const ids = named.map(({ id }) => id);
  for (const { id } of await findMonitorsByIds(reader, orgId, ids)) known.add(id);
  for (const { id, param } of named)
    if (!known.has(id))
      throw new Fault('invalid_request', `${param}: this monitor does not exist`, { param });
}
