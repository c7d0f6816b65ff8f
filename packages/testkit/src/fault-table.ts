import { ANSWER_FAULTS } from './fault-answers.ts';
import { CONNECTION_FAULTS } from './fault-cuts.ts';
import type { UpstreamFault } from './faults.ts';

/** Every fault of an upstream, by name: iterate over it, or take one with `upstreamFault`. */
export const UPSTREAM_FAULTS: readonly UpstreamFault[] = [...CONNECTION_FAULTS, ...ANSWER_FAULTS];

/** @throws Error when there is no fault of that name. */
export function upstreamFault(name: string): UpstreamFault {
  const fault = UPSTREAM_FAULTS.find((one) => one.name === name);
  if (!fault) throw new Error(`no upstream fault "${name}"`);
  return fault;
}
