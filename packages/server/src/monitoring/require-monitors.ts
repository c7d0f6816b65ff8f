import { Fault } from '@floe/contract/faults';
import { listMonitorsById } from '../store/monitoring/monitors.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';

/** A monitor id, and the request field that contains it. */
export interface MonitorIdParameter {
  readonly id: string;
  readonly param: string;
}

/**
 * Requires that monitors exist. A monitor that has been removed is accepted if its id was already used before
 * the change.
 * @param before the ids that were already used
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
  for (const { id } of await listMonitorsById(reader, orgId, ids)) known.add(id);
  for (const { id, param } of named)
    if (!known.has(id))
      throw new Fault(
        'invalid_request',
        `${param}: there is no monitor "${id.slice(0, 100)}" in this organization`,
        { param },
      );
}
