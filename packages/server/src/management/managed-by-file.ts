import { Fault } from '@floe/contract/faults';
import { type SourceColumns, sourceLocation } from '../platform/source-location.ts';

/**
 * Refuses to change what stands in floe.yaml.
 *
 * @param kind the kind in messages, as `team`
 * @throws Fault `managed_by_file`
 */
export function requireNotManagedByFile(kind: string, name: string, row: SourceColumns): void {
  if (row.source !== 'file') return;
  throw new Fault(
    'managed_by_file',
    `The ${kind} "${name}" is defined in ${sourceLocation(row)}. Change it there.`,
  );
}
