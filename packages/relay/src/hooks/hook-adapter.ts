import type { RelayEvent } from '@floe/contract/api/relay';
import type { JsonObject } from '@floe/contract/json';

/** A parsed hook call. It requests a decision or contains a report. */
export interface HookCall {
  /** The agent's name of the hook. */
  readonly name: string;
  /** Actions that need a decision. Empty for a report. */
  readonly events: readonly RelayEvent[];
  /** The completed action. Null if the call needs a decision. */
  readonly report: HookReport | null;
}

/** A completed action that an agent reports. */
export interface HookReport {
  readonly type:
    | 'session_start'
    | 'session_end'
    | 'tool_result'
    | 'shell_result'
    | 'file_edited'
    | 'turn_end'
    | 'other';
  readonly session_id?: string | undefined;
  readonly tool_use_id?: string | undefined;
  readonly agent: RelayEvent['agent'];
  readonly details: JsonObject;
}

/** The decision for a hook call, with its messages. */
export interface HookDecision {
  readonly decision: 'allow' | 'deny' | 'ask' | 'abstain';
  readonly userMessage: string | null;
  readonly agentMessage: string | null;
}

/** The output and exit code of a hook process. A null output means that nothing is printed. */
export interface HookReply {
  readonly stdout: JsonObject | null;
  readonly stderr: string;
  readonly exitCode: 0 | 2;
}

/** Converts one agent's hook payloads and responses. The functions have no side effects. */
export interface HookAdapter {
  readonly agent: string;
  /** Whether the agent asks its user if this hook returns `ask`. */
  canAsk(name: string): boolean;
  /** Whether this hook can block an action. */
  canBlock(name: string): boolean;
  /** Never throws. Payloads that are not supported become calls without events. */
  read(payload: JsonObject): HookCall;
  reply(call: HookCall, outcome: HookDecision): HookReply;
}

/** Returns a reply with exit code 0 that prints this JSON, or nothing if it is null. */
export function createOutputReply(stdout: JsonObject | null): HookReply {
  return { stdout, stderr: '', exitCode: 0 };
}
