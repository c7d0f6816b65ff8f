import { CONNECTION_FAULTS } from './connection-faults.ts';
import type { InjectedFault } from './injected-fault.ts';
import { RESPONSE_FAULTS } from './response-faults.ts';

/** All faults of an upstream. Tests iterate over them, or get one with `findInjectedFault`. */
export const INJECTED_FAULTS: readonly InjectedFault[] = [...CONNECTION_FAULTS, ...RESPONSE_FAULTS];

/**
 * Returns the fault with this name.
 * @throws Error if there is none
 */
export function findInjectedFault(name: string): InjectedFault {
  const fault = INJECTED_FAULTS.find((one) => one.name === name);
  if (!fault) throw new Error(`no upstream fault "${name}"`);
  return fault;
}
