import type { JsonObject } from '@floe/contract/json';
import type { CommonRelayEventFields } from './file-events.ts';
import {
  createOutputReply,
  type HookAdapter,
  type HookCall,
  type HookDecision,
  type HookReply,
  type HookReport,
} from './hook-adapter.ts';
import {
  readDirectoryField,
  readListField,
  readObjectField,
  readPromptText,
  readShortTextField,
} from './payload-fields.ts';
import { createPromptEvent, createToolCallEvents } from './tool-events.ts';

/** An agent whose hooks use the payload format of Claude Code, with the responses that the agent supports. */
export interface ClaudeCompatibleAgent {
  readonly agent: string;
  /** Whether the agent shows a dialog for `permissionDecision: "ask"` and supports `"allow"`. */
  readonly supportsAsk: boolean;
  readonly supportsAllow: boolean;
  /** How a response blocks a prompt. */
  readonly promptBlocking: 'block' | 'continue';
}

const REPORT_TYPES: Readonly<Record<string, HookReport['type']>> = {
  SessionStart: 'session_start',
  SessionEnd: 'session_end',
  PostToolUse: 'tool_result',
  PostToolUseFailure: 'tool_result',
  Stop: 'turn_end',
  SubagentStop: 'turn_end',
};

const BLOCKING_HOOKS = new Set(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit']);

/**
 * Creates the adapter for an agent whose hooks use the payload format of Claude Code. Field names may be in
 * snake case or camel case.
 */
export function createClaudeAdapter(shape: ClaudeCompatibleAgent): HookAdapter {
  return {
    agent: shape.agent,
    // For a permission request, the agent already asks its user.
    canAsk: (name) => name === 'PermissionRequest' || (shape.supportsAsk && name === 'PreToolUse'),
    canBlock: (name) => BLOCKING_HOOKS.has(name),
    read: (payload) => parseClaudePayload(payload, shape.agent),
    reply: (call, outcome) => createReply(call, outcome, shape),
  };
}

/**
 * Parses a hook payload in the format of Claude Code. An unknown or missing hook name produces a call without
 * events.
 */
export function parseClaudePayload(payload: JsonObject, agent: string): HookCall {
  const given = readShortTextField(payload, 'hook_event_name', 'hookEventName') ?? '';
  const name = given.charAt(0).toUpperCase() + given.slice(1);
  const common = readCommonFields(payload, agent);
  if (name === 'UserPromptSubmit')
    return {
      name,
      events: [createPromptEvent(readPromptText(payload, 'prompt'), [], common)],
      report: null,
    };
  if (name === 'PreToolUse' || name === 'PermissionRequest') {
    const tool = readShortTextField(payload, 'tool_name', 'toolName') ?? 'unknown';
    return {
      name,
      events: createToolCallEvents(tool, readObjectField(payload, 'tool_input', 'toolInput'), common),
      report: null,
    };
  }
  return {
    name,
    events: [],
    report: createHookReport(getHookReportType(REPORT_TYPES, name), name, payload, common),
  };
}

function readCommonFields(payload: JsonObject, agent: string): CommonRelayEventFields {
  const toolUse = readShortTextField(payload, 'tool_use_id', 'toolUseId');
  const session = readShortTextField(payload, 'session_id', 'sessionId');
  const name = readShortTextField(payload, 'hook_event_name', 'hookEventName');
  return {
    // An agent that repeats a call repeats its id. The two hooks of one call are two events.
    id: toolUse === undefined ? undefined : `${name}:${session ?? ''}:${toolUse}`.slice(0, 200),
    session_id: session,
    turn_id: readShortTextField(payload, 'turn_id', 'prompt_id'),
    tool_use_id: toolUse,
    permission_request: name?.toLowerCase() === 'permissionrequest' || undefined,
    agent: {
      name: agent,
      version: readShortTextField(payload, 'agent_version', 'version'),
      permission_mode: readShortTextField(payload, 'permission_mode', 'permissionMode'),
    },
    cwd: readDirectoryField(payload, 'cwd'),
  };
}

/**
 * Returns the report type of a hook, or `other` for an unknown hook. Looks up only own properties, because the
 * agent chooses the hook name, which may be `constructor`.
 */
export function getHookReportType(
  known: Readonly<Record<string, HookReport['type']>>,
  name: string,
): HookReport['type'] {
  return (Object.hasOwn(known, name) && known[name]) || 'other';
}

/**
 * Creates a report of a completed action. It contains selected fields of the payload, but no tool
 * output.
 */
export function createHookReport(
  type: HookReport['type'],
  name: string,
  payload: JsonObject,
  { session_id, tool_use_id, agent }: CommonRelayEventFields,
): HookReport {
  const details: Record<string, string | number> = { hook: name };
  for (const member of ['tool_name', 'toolName', 'reason', 'source', 'status', 'file_path', 'command'])
    if (readShortTextField(payload, member) !== undefined)
      details[member] = readShortTextField(payload, member) ?? '';
  const edits = readListField(payload, 'edits').length;
  if (edits > 0) details['edits'] = edits;
  return { type, session_id, tool_use_id, agent, details };
}

function createReply({ name }: HookCall, outcome: HookDecision, shape: ClaudeCompatibleAgent): HookReply {
  const { decision, userMessage, agentMessage } = outcome;
  if (decision === 'abstain')
    return createOutputReply(userMessage === null ? null : { systemMessage: userMessage });
  const forAgent = agentMessage ?? userMessage ?? 'This action is not allowed.';
  const forUser = userMessage ?? forAgent;
  switch (name) {
    case 'PreToolUse':
      return createOutputReply(
        withSystemMessage(
          preToolUseReply(decision, decision === 'deny' ? forAgent : forUser, shape),
          decision,
          userMessage,
        ),
      );
    case 'PermissionRequest':
      return createOutputReply(withSystemMessage(permissionReply(decision, forAgent), decision, userMessage));
    case 'UserPromptSubmit':
      if (decision === 'allow') return createOutputReply(null);
      return createOutputReply(
        shape.promptBlocking === 'block'
          ? { decision: 'block', reason: forUser }
          : { continue: false, stopReason: forUser },
      );
    default:
      return createOutputReply(null);
  }
}

/** Only the model reads the reason of a denial. The user sees `systemMessage`. */
function withSystemMessage(
  answer: JsonObject | null,
  decision: HookDecision['decision'],
  userMessage: string | null,
): JsonObject | null {
  if (answer === null || decision !== 'deny' || userMessage === null) return answer;
  return { ...answer, systemMessage: userMessage };
}

function preToolUseReply(
  decision: 'allow' | 'deny' | 'ask',
  reason: string,
  { supportsAllow, supportsAsk }: ClaudeCompatibleAgent,
): JsonObject | null {
  const hookEventName = 'PreToolUse';
  if (decision === 'allow')
    return supportsAllow ? { hookSpecificOutput: { hookEventName, permissionDecision: decision } } : null;
  const permissionDecision = decision === 'ask' && !supportsAsk ? 'deny' : decision;
  return { hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason: reason } };
}

/** The response to a permission request. Without a denial or approval, the agent asks its user. */
function permissionReply(decision: 'allow' | 'deny' | 'ask', message: string): JsonObject | null {
  if (decision === 'ask') return null;
  const behavior = decision === 'deny' ? { behavior: 'deny', message } : { behavior: 'allow' };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: behavior } };
}
