import type { JsonObject } from '@floe/contract/json';
import {
  type HookAdapter,
  type HookCall,
  type HookReply,
  type HookReport,
  type Outcome,
  printed,
} from './adapter.ts';
import { label, list, object, text } from './fields.ts';
import { type Common, promptEvent, toolEvents } from './tool-events.ts';

/** What differs between the agents that took over the hooks of one of them. */
export interface ClaudeShape {
  readonly agent: string;
  /** Whether `permissionDecision: "ask"` shows a dialog, and `"allow"` is understood. */
  readonly asks: boolean;
  readonly allows: boolean;
  /** How a prompt is stopped. */
  readonly stopsPrompt: 'block' | 'continue';
}

const REPORTS: Readonly<Record<string, HookReport['type']>> = {
  SessionStart: 'session_start',
  SessionEnd: 'session_end',
  PostToolUse: 'tool_result',
  PostToolUseFailure: 'tool_result',
  Stop: 'turn_end',
  SubagentStop: 'turn_end',
};

const GATES = new Set(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit']);

/** An adapter for hooks with `hook_event_name`, `tool_name` and `tool_input`, in either spelling. */
export function claudeShaped(shape: ClaudeShape): HookAdapter {
  return {
    agent: shape.agent,
    // A permission request is the agent asking already.
    asks: (name) => name === 'PermissionRequest' || (shape.asks && name === 'PreToolUse'),
    gates: (name) => GATES.has(name),
    read: (payload) => readClaudeShape(payload, shape.agent),
    reply: (call, outcome) => replyOf(call, outcome, shape),
  };
}

export function readClaudeShape(payload: JsonObject, agent: string): HookCall {
  const given = label(payload, 'hook_event_name', 'hookEventName') ?? '';
  const name = given.charAt(0).toUpperCase() + given.slice(1);
  const common = commonOf(payload, agent);
  if (name === 'UserPromptSubmit')
    return { name, events: [promptEvent(text(payload, 'prompt') ?? '', [], common)], report: null };
  if (name === 'PreToolUse' || name === 'PermissionRequest') {
    const tool = label(payload, 'tool_name', 'toolName') ?? 'unknown';
    return {
      name,
      events: toolEvents(tool, object(payload, 'tool_input', 'toolInput'), common),
      report: null,
    };
  }
  return { name, events: [], report: reportOf(reportType(REPORTS, name), name, payload, common) };
}

function commonOf(payload: JsonObject, agent: string): Common {
  const toolUse = label(payload, 'tool_use_id', 'toolUseId');
  const session = label(payload, 'session_id', 'sessionId');
  const name = label(payload, 'hook_event_name', 'hookEventName');
  return {
    // An agent that repeats a call repeats its id; the two hooks of one call are two events.
    id: toolUse === undefined ? undefined : `${name}:${session ?? ''}:${toolUse}`.slice(0, 200),
    session_id: session,
    turn_id: label(payload, 'turn_id', 'prompt_id'),
    tool_use_id: toolUse,
    agent: {
      name: agent,
      version: label(payload, 'agent_version', 'version'),
      permission_mode: label(payload, 'permission_mode', 'permissionMode'),
    },
    cwd: text(payload, 'cwd'),
  };
}

/** The type of a hook's report by its name, which the agent gives: also one that every object has, such as `constructor`. */
export function reportType(
  known: Readonly<Record<string, HookReport['type']>>,
  name: string,
): HookReport['type'] {
  return (Object.hasOwn(known, name) && known[name]) || 'other';
}

/** What happened, without what was said: only sizes of texts are kept. */
export function reportOf(
  type: HookReport['type'],
  name: string,
  payload: JsonObject,
  { session_id, tool_use_id, agent }: Common,
): HookReport {
  const details: Record<string, string | number> = { hook: name };
  for (const member of ['tool_name', 'toolName', 'reason', 'source', 'status', 'file_path', 'command'])
    if (label(payload, member) !== undefined) details[member] = label(payload, member) ?? '';
  const edits = list(payload, 'edits').length;
  if (edits > 0) details['edits'] = edits;
  return { type, session_id, tool_use_id, agent, details };
}

function replyOf({ name }: HookCall, outcome: Outcome, shape: ClaudeShape): HookReply {
  const { decision, userMessage, agentMessage } = outcome;
  if (decision === 'abstain') return printed(userMessage === null ? null : { systemMessage: userMessage });
  const forAgent = agentMessage ?? userMessage ?? 'Not allowed here.';
  const forUser = userMessage ?? forAgent;
  switch (name) {
    case 'PreToolUse':
      return printed(
        shown(beforeTool(decision, decision === 'deny' ? forAgent : forUser, shape), decision, userMessage),
      );
    case 'PermissionRequest':
      return printed(shown(permission(decision, forAgent), decision, userMessage));
    case 'UserPromptSubmit':
      if (decision === 'allow') return printed(null);
      return printed(
        shape.stopsPrompt === 'block'
          ? { decision: 'block', reason: forUser }
          : { continue: false, stopReason: forUser },
      );
    default:
      return printed(null);
  }
}

/** Only the model reads the reason of a denial; `systemMessage` is what its user sees. */
function shown(
  answer: JsonObject | null,
  decision: Outcome['decision'],
  userMessage: string | null,
): JsonObject | null {
  if (answer === null || decision !== 'deny' || userMessage === null) return answer;
  return { ...answer, systemMessage: userMessage };
}

function beforeTool(
  decision: 'allow' | 'deny' | 'ask',
  reason: string,
  { allows, asks }: ClaudeShape,
): JsonObject | null {
  const hookEventName = 'PreToolUse';
  if (decision === 'allow')
    return allows ? { hookSpecificOutput: { hookEventName, permissionDecision: decision } } : null;
  const permissionDecision = decision === 'ask' && !asks ? 'deny' : decision;
  return { hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason: reason } };
}

/** A request that was put to the user anyway is only ever denied, or granted; asking is what it does. */
function permission(decision: 'allow' | 'deny' | 'ask', message: string): JsonObject | null {
  if (decision === 'ask') return null;
  const behavior = decision === 'deny' ? { behavior: 'deny', message } : { behavior: 'allow' };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: behavior } };
}
