import type { JsonObject } from '@floe/contract/json';
import { createHookReport } from './claude-adapter.ts';
import type { CommonRelayEventFields } from './file-events.ts';
import {
  createOutputReply,
  type HookAdapter,
  type HookCall,
  type HookDecision,
  type HookReply,
} from './hook-adapter.ts';
import { readListField, readObjectField, readPromptText, readShortTextField } from './payload-fields.ts';
import { createConnectorEvent, createPromptEvent, createToolCallEvents } from './tool-events.ts';

/** The adapter for Cline. A response blocks a tool call or a prompt with `cancel` and a message. */
export const clineAdapter: HookAdapter = {
  agent: 'cline',
  canAsk: () => false,
  canBlock: (name) => name === 'PreToolUse' || name === 'UserPromptSubmit',
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  const name = readShortTextField(payload, 'hookName') ?? '';
  const [root] = readListField(payload, 'workspaceRoots');
  const common: CommonRelayEventFields = {
    session_id: readShortTextField(payload, 'taskId'),
    agent: { name: 'cline', version: readShortTextField(payload, 'clineVersion') },
    user: readShortTextField(payload, 'userId'),
    cwd: typeof root === 'string' ? root : undefined,
  };
  if (name === 'UserPromptSubmit')
    return {
      name,
      events: [
        createPromptEvent(
          readPromptText(payload, 'userPromptSubmit.prompt'),
          attachmentPaths(payload),
          common,
        ),
      ],
      report: null,
    };
  if (name !== 'PreToolUse')
    return { name, events: [], report: createHookReport('other', name, payload, common) };
  const tool = readShortTextField(payload, 'preToolUse.toolName') ?? 'unknown';
  const input = readObjectField(payload, 'preToolUse.parameters');
  if (tool !== 'use_mcp_tool')
    return { name, events: createToolCallEvents(tool, input, common), report: null };
  const connector = {
    name: readShortTextField(input, 'tool_name') ?? 'unknown',
    server: readShortTextField(input, 'server_name'),
  };
  return {
    name,
    events: [createConnectorEvent(connector, readObjectField(input, 'arguments'), common)],
    report: null,
  };
}

function attachmentPaths(payload: JsonObject): string[] {
  return readListField(readObjectField(payload, 'userPromptSubmit'), 'attachments').filter(
    (path) => typeof path === 'string',
  );
}

function reply(_call: HookCall, { decision, userMessage, agentMessage }: HookDecision): HookReply {
  if (decision === 'abstain' || decision === 'allow') return createOutputReply({ cancel: false });
  return createOutputReply({
    cancel: true,
    errorMessage: agentMessage ?? userMessage ?? 'This action is not allowed.',
  });
}
