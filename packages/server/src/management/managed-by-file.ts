import { Fault } from '@floe/contract/faults';
import { type Placed, spotOf } from '../platform/file-place.ts';

/**
 * Refuses to change what stands in floe.yaml.
 *
 * @param one the kind in messages, as `team`
 * @throws Fault `managed_by_file`
 */
export function mustNotBeInFile(one: string, name: string, row: Placed): void {
  if (row.source !== 'file') return;
  throw new Fault('managed_by_file', `The ${one} "${name}" stands in ${spotOf(row)}; change it there.`);
}
