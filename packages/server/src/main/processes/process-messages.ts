import { isJsonObject } from '@floe/contract/json';
import type { StartReport } from '../announce-start.ts';

/** The argument with which the supervisor starts the server program, followed by the number of processes. */
export const SUPERVISED_PROCESS_ARGUMENT = 'supervised-process';

/** A message from a process to its supervisor. */
export type ProcessMessage =
  /** The process accepts connections. */
  | { readonly type: 'listening'; readonly report: StartReport }
  /** The metrics of the process, as the response to `report_metrics` or, with null, before the process exits. */
  | { readonly type: 'metrics'; readonly request: number | null; readonly text: string }
  | { readonly type: 'collect_metrics'; readonly request: number };

/** A message from the supervisor to a process. */
export type SupervisorMessage =
  | { readonly type: 'report_metrics'; readonly request: number }
  /** The metrics of all processes, as the response to `collect_metrics`. */
  | { readonly type: 'collected_metrics'; readonly request: number; readonly text: string }
  /** The process finishes its open requests and then exits, while other processes accept connections. */
  | { readonly type: 'restart' };

/**
 * Narrows the type of a message. Both sides run the same build, so a known type implies the other fields.
 */
export function isProcessMessage(value: unknown): value is ProcessMessage {
  return hasType(value, ['listening', 'metrics', 'collect_metrics']);
}

/** Narrows the type of a message, as `isProcessMessage` does. */
export function isSupervisorMessage(value: unknown): value is SupervisorMessage {
  return hasType(value, ['report_metrics', 'collected_metrics', 'restart']);
}

function hasType(value: unknown, types: readonly string[]): boolean {
  return isJsonObject(value) && typeof value['type'] === 'string' && types.includes(value['type']);
}
