import type { RelayEvent } from '@floe/contract/api/relay';
import type { JsonObject } from '@floe/contract/json';

/** What an agent's hook asked or told. */
export interface HookCall {
  /** The agent's own name of the hook. */
  readonly name: string;
  /** What it is about to do; empty when nothing is to be decided. */
  readonly events: readonly RelayEvent[];
  /** What has happened; null when something is to be decided. */
  readonly report: HookReport | null;
}

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

/** The answer that an agent is to hear. */
export interface HookDecision {
  readonly decision: 'allow' | 'deny' | 'ask' | 'abstain';
  readonly userMessage: string | null;
  readonly agentMessage: string | null;
}

/** What a hook's process prints and how it ends. Nothing is printed for null. */
export interface HookReply {
  readonly stdout: JsonObject | null;
  readonly stderr: string;
  readonly exitCode: 0 | 2;
}

/** How one agent speaks to its hooks: pure functions over its payloads. */
export interface HookAdapter {
  readonly agent: string;
  /** Whether the agent shows a question to its user when this hook answers `ask`. */
  canAsk(name: string): boolean;
  /** Whether this hook can stop anything. */
  canBlock(name: string): boolean;
  /** Never throws: what is not understood is a call without events. */
  read(payload: JsonObject): HookCall;
  reply(call: HookCall, outcome: HookDecision): HookReply;
}

export function replyWithOutput(stdout: JsonObject | null): HookReply {
  return { stdout, stderr: '', exitCode: 0 };
}
