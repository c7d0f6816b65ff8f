import type { JsonObject } from '@floe/contract/json';
import { type HookAdapter, type HookCall, type HookReply, type Outcome, printed } from './adapter.ts';
import { reportOf } from './claude-shape.ts';
import { label, list, object, text } from './fields.ts';
import { type Common, connectorEvent, promptEvent, toolEvents } from './tool-events.ts';

/** Cline: `cancel` with a message, for tools and prompts. */
export const cline: HookAdapter = {
  agent: 'cline',
  asks: () => false,
  gates: (name) => name === 'PreToolUse' || name === 'UserPromptSubmit',
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  const name = label(payload, 'hookName') ?? '';
  const [root] = list(payload, 'workspaceRoots');
  const common: Common = {
    session_id: label(payload, 'taskId'),
    agent: { name: 'cline', version: label(payload, 'clineVersion') },
    user: label(payload, 'userId'),
    cwd: typeof root === 'string' ? root : undefined,
  };
  if (name === 'UserPromptSubmit')
    return {
      name,
      events: [promptEvent(text(payload, 'userPromptSubmit.prompt') ?? '', paths(payload), common)],
      report: null,
    };
  if (name !== 'PreToolUse') return { name, events: [], report: reportOf('other', name, payload, common) };
  const tool = label(payload, 'preToolUse.toolName') ?? 'unknown';
  const input = object(payload, 'preToolUse.parameters');
  if (tool !== 'use_mcp_tool') return { name, events: toolEvents(tool, input, common), report: null };
  const connector = { name: label(input, 'tool_name') ?? 'unknown', server: label(input, 'server_name') };
  return { name, events: [connectorEvent(connector, object(input, 'arguments'), common)], report: null };
}

function paths(payload: JsonObject): string[] {
  return list(object(payload, 'userPromptSubmit'), 'attachments').filter((path) => typeof path === 'string');
}

function reply(_call: HookCall, { decision, userMessage, agentMessage }: Outcome): HookReply {
  if (decision === 'abstain' || decision === 'allow') return printed({ cancel: false });
  return printed({ cancel: true, errorMessage: agentMessage ?? userMessage ?? 'Not allowed here.' });
}
