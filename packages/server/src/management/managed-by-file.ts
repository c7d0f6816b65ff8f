import { Fault } from '@floe/contract/faults';
import { formatSourceLocation, type SourceColumns } from '../platform/source-location.ts';

/**
 * Rejects changes to a resource that floe.yaml defines.
 *
 * @param kind the resource kind's name in the message, such as `team`
 * @throws Fault `managed_by_file`
 */
export function requireNotManagedByFile(kind: string, name: string, row: SourceColumns): void {
  if (row.source !== 'file') return;
  throw new Fault(
    'managed_by_file',
    `The ${kind} "${name}" is defined in ${formatSourceLocation(row)}. Change it there.`,
  );
}
