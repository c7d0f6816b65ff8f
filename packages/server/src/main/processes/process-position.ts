import type { CoordinatorClient } from '../../store/coordinator/coordinator-client.ts';

/** The position of this process in its server. */
export interface ProcessPosition {
  /** Number of processes of this installation on this machine, including this one. */
  readonly processCount: number;
  /** The number of this process, from 1. */
  readonly processNumber: number;
  /** The connection to the other processes. Undefined if there are none. */
  readonly coordinator: CoordinatorClient | undefined;
}
