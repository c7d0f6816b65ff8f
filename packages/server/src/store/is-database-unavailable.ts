import { Fault } from '@floe/contract/faults';

/**
 * Returns whether a write failed because the database cannot write at all. Any other error may be caused by a
 * single row of a batch.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.code === 'overloaded';
}
