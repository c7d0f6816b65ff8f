import type { JsonObject } from '@floe/contract/json';
import {
  type HookAdapter,
  type HookCall,
  type HookReply,
  type HookReport,
  type Outcome,
  printed,
} from './adapter.ts';
import { readClaudeShape, reportOf } from './claude-shape.ts';
import { label, object, text } from './fields.ts';
import { type Common, promptEvent, toolEvents } from './tool-events.ts';

/** Copilot CLI: names of hooks decide the spelling; payloads in camel case do not name their hook. */
export const copilotCli: HookAdapter = {
  agent: 'copilot-cli',
  asks: (name) => name === 'preToolUse' || name === 'PreToolUse',
  gates: (name) => /^(?:pre|Pre)ToolUse$|^(?:p|P)ermissionRequest$/.test(name),
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  if (label(payload, 'hook_event_name', 'hookEventName') !== undefined)
    return readClaudeShape(payload, 'copilot-cli');
  const common: Common = {
    session_id: label(payload, 'sessionId'),
    agent: { name: 'copilot-cli' },
    cwd: text(payload, 'cwd'),
  };
  const tool = label(payload, 'toolName');
  if (tool !== undefined && payload['toolResult'] === undefined)
    return {
      name: 'preToolUse',
      events: toolEvents(tool, object(payload, 'toolArgs'), common),
      report: null,
    };
  const prompt = text(payload, 'prompt');
  if (prompt !== undefined)
    return { name: 'userPromptSubmitted', events: [promptEvent(prompt, [], common)], report: null };
  const type: HookReport['type'] = tool !== undefined ? 'tool_result' : 'other';
  return {
    name: tool === undefined ? 'other' : 'postToolUse',
    events: [],
    report: reportOf(type, 'hook', payload, common),
  };
}

/** Prompts cannot be stopped here: what a hook answers about them is dropped. */
function reply({ name }: HookCall, { decision, userMessage, agentMessage }: Outcome): HookReply {
  if (decision === 'abstain' || !copilotCli.gates(name)) return printed(null);
  if (decision === 'allow') return printed({ permissionDecision: decision });
  const permissionDecisionReason =
    (decision === 'deny' ? agentMessage : userMessage) ?? userMessage ?? 'Not allowed here.';
  return printed({ permissionDecision: decision, permissionDecisionReason });
}
