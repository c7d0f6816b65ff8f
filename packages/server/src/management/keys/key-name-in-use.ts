import { Fault } from '@floe/contract/faults';
import { workingKeyNamed } from '../../store/platform-keys.ts';
import type { Writer } from '../../store/ports.ts';

/**
 * Limits, budgets and analytics call a key by its name, so one name means one key in use.
 *
 * @throws Fault `conflict`
 */
export async function mustBeFree(writer: Writer, orgId: string, name: string, nowMs: number): Promise<void> {
  const other = await workingKeyNamed(writer, orgId, name, nowMs);
  if (other) throw new Fault('conflict', `The key ${other.id} in use has this name.`, { param: 'name' });
}
