import type { JsonObject } from '@floe/contract/json';
import { createHookReport, parseClaudePayload } from './claude-adapter.ts';
import type { CommonRelayEventFields } from './file-events.ts';
import {
  createOutputReply,
  type HookAdapter,
  type HookCall,
  type HookDecision,
  type HookReply,
  type HookReport,
} from './hook-adapter.ts';
import { readDirectoryField, readObjectField, readPromptText, readShortTextField } from './payload-fields.ts';
import { createPromptEvent, createToolCallEvents } from './tool-events.ts';

/**
 * The adapter for Copilot CLI. The hook name determines whether field names use snake case or camel
 * case. Payloads in camel case do not contain the hook name.
 */
export const copilotCliAdapter: HookAdapter = {
  agent: 'copilot-cli',
  canAsk: (name) => name === 'preToolUse' || name === 'PreToolUse',
  canBlock: (name) => /^(?:pre|Pre)ToolUse$|^(?:p|P)ermissionRequest$/.test(name),
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  if (readShortTextField(payload, 'hook_event_name', 'hookEventName') !== undefined)
    return parseClaudePayload(payload, 'copilot-cli');
  const common: CommonRelayEventFields = {
    session_id: readShortTextField(payload, 'sessionId'),
    agent: { name: 'copilot-cli' },
    cwd: readDirectoryField(payload, 'cwd'),
  };
  const tool = readShortTextField(payload, 'toolName');
  const isToolCall = payload['toolName'] !== undefined || payload['toolArgs'] !== undefined;
  if (isToolCall && payload['toolResult'] === undefined)
    return {
      name: 'preToolUse',
      events: createToolCallEvents(tool ?? 'unknown', readObjectField(payload, 'toolArgs'), common),
      report: null,
    };
  if (payload['prompt'] !== undefined)
    return {
      name: 'userPromptSubmitted',
      events: [createPromptEvent(readPromptText(payload, 'prompt'), [], common)],
      report: null,
    };
  const type: HookReport['type'] = isToolCall ? 'tool_result' : 'other';
  return {
    name: isToolCall ? 'postToolUse' : 'other',
    events: [],
    report: createHookReport(type, 'hook', payload, common),
  };
}

/** Prompts cannot be blocked, because Copilot CLI ignores the response of this hook. */
function reply({ name }: HookCall, { decision, userMessage, agentMessage }: HookDecision): HookReply {
  if (decision === 'abstain' || !copilotCliAdapter.canBlock(name)) return createOutputReply(null);
  if (decision === 'allow') return createOutputReply({ permissionDecision: decision });
  const permissionDecisionReason =
    (decision === 'deny' ? agentMessage : userMessage) ?? userMessage ?? 'This action is not allowed.';
  return createOutputReply({ permissionDecision: decision, permissionDecisionReason });
}
