import { MAX_RELAY_ATTACHMENTS, type RelayEvent } from '@floe/contract/api/relay';
import type { JsonObject } from '@floe/contract/json';
import type { CompiledRelayConfig } from '../compile-relay-config.ts';

/** A parsed hook call. It requests a decision or contains a report. */
export interface HookCall {
  /** The agent's name of the hook. */
  readonly name: string;
  /** Actions that need a decision. Empty for a report. */
  readonly events: readonly RelayEvent[];
  /** The completed action. Null if the call needs a decision. */
  readonly report: HookReport | null;
}

/** Maximum number of events in one hook call. Floe does not evaluate a call with more events. */
const MAX_HOOK_EVENTS = 1_000;
/**
 * Maximum number of characters in the contents of all files of one hook call. A text that may belong to several files
 * counts for each of them, because it is evaluated for each of them.
 */
const MAX_HOOK_CONTENT_CHARS = 8 << 20;

/** Maximum depth of the arguments of a tool call. The server reads request bodies with at most 100 levels. */
export const MAX_HOOK_ARGUMENT_DEPTH = 90;
/** Maximum number of arguments of a tool call. The server reads requests with at most 10,000 entries. */
export const MAX_HOOK_ARGUMENTS = 9_000;

/**
 * Returns whether a hook call is too large to be evaluated, because it has too many events, its files have too much
 * content, a prompt has too many attachments, or a tool call has arguments that are too many or too deep.
 */
export function exceedsHookLimits(events: readonly RelayEvent[]): boolean {
  if (events.length > MAX_HOOK_EVENTS) return true;
  const chars = events.reduce((sum, { file }) => sum + (file?.content?.length ?? 0), 0);
  return (
    chars > MAX_HOOK_CONTENT_CHARS ||
    events.some(
      ({ tool, prompt }) =>
        (prompt?.attachments?.length ?? 0) > MAX_RELAY_ATTACHMENTS ||
        (tool !== undefined && isArgumentLimitExceeded(tool)),
    )
  );
}

/** Does not recurse, because a model can nest arguments deeper than the stack allows. */
function isArgumentLimitExceeded({ arguments: given }: NonNullable<RelayEvent['tool']>): boolean {
  if (Object.keys(given).length > MAX_HOOK_ARGUMENTS) return true;
  let level: object[] = [given];
  for (let depth = 1; depth <= MAX_HOOK_ARGUMENT_DEPTH; depth += 1) {
    const values = level.flatMap((value) => Object.values(value));
    level = values.filter((value) => typeof value === 'object' && value !== null);
    if (level.length === 0) return false;
  }
  return true;
}

/**
 * Returns whether hook calls that exceed the limits must be denied. This is the case if any enforced rule
 * denies or asks.
 */
export function shouldDenyCallsOverHookLimits({ config, rules }: CompiledRelayConfig): boolean {
  return (
    config.mode === 'enforce' &&
    rules.some(({ mode, decision }) => mode === 'enforce' && decision !== 'allow')
  );
}

/** The limits of a hook call as text that follows "Floe can evaluate at most". */
export const HOOK_LIMITS_TEXT = `${MAX_HOOK_EVENTS.toLocaleString('en-US')} files, ${MAX_HOOK_CONTENT_CHARS.toLocaleString('en-US')} characters of file content in total, ${MAX_RELAY_ATTACHMENTS} attachments, and ${MAX_HOOK_ARGUMENTS.toLocaleString('en-US')} tool arguments, nested at most ${MAX_HOOK_ARGUMENT_DEPTH} levels deep`;

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

/** The decision on an event or a hook call, with the messages for the user and the agent. */
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

/**
 * Converts the hook payloads of one agent to hook calls, and decisions to responses in the format of the agent.
 * The functions have no side effects.
 */
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

/** Returns a reply with exit code 0 and this JSON as the output. If the JSON is null, the output is empty. */
export function createOutputReply(stdout: JsonObject | null): HookReply {
  return { stdout, stderr: '', exitCode: 0 };
}
