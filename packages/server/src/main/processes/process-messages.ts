import { isJsonObject } from '@floe/contract/json';
import type { CoordinatorCall, CoordinatorReply } from '../../store/coordinator/coordinator-protocol.ts';
import type { StartReport } from '../announce-start.ts';

/**
 * The argument with which the supervisor starts the server program. The next two arguments are the number of
 * processes and the position of this process, from 1.
 */
export const SUPERVISED_PROCESS_ARGUMENT = 'supervised-process';

/** A message from a process to its supervisor. */
export type ProcessMessage =
  /** The process accepts connections. */
  | { readonly type: 'listening'; readonly report: StartReport }
  /** The metrics of the process, as the response to `report_metrics` or, with null, before the process exits. */
  | { readonly type: 'metrics'; readonly request: number | null; readonly text: string }
  | { readonly type: 'collect_metrics'; readonly request: number }
  /** Calls to the coordinator. */
  | { readonly type: 'coordinate'; readonly calls: readonly CoordinatorCall[] };

/** A message from the supervisor to a process. */
export type SupervisorMessage =
  | { readonly type: 'report_metrics'; readonly request: number }
  /** The metrics of all processes, as the response to `collect_metrics`. */
  | { readonly type: 'collected_metrics'; readonly request: number; readonly text: string }
  /** The process finishes its open requests and then exits, while other processes accept connections. */
  | { readonly type: 'restart' }
  /** The responses to `coordinate`. */
  | { readonly type: 'coordinated'; readonly replies: readonly CoordinatorReply[] }
  /** Another process has changed the snapshot. */
  | { readonly type: 'snapshot_changed' };

/**
 * Returns whether a value is a message from a process. Checks only the field `type`, because both processes run the same build.
 */
export function isProcessMessage(value: unknown): value is ProcessMessage {
  return hasType(value, ['listening', 'metrics', 'collect_metrics', 'coordinate']);
}

/** Narrows the type of a message, as `isProcessMessage` does. */
export function isSupervisorMessage(value: unknown): value is SupervisorMessage {
  return hasType(value, [
    'report_metrics',
    'collected_metrics',
    'restart',
    'coordinated',
    'snapshot_changed',
  ]);
}

function hasType(value: unknown, types: readonly string[]): boolean {
  return isJsonObject(value) && typeof value['type'] === 'string' && types.includes(value['type']);
}
