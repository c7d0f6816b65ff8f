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
import {
  readDirectoryField,
  readListField,
  readObjectField,
  readPromptText,
  readShortTextField,
  readTextField,
} from './payload-fields.ts';
import { createConnectorEvent, createPromptEvent, createToolCallEvents } from './tool-events.ts';

/**
 * The adapter for Gemini CLI. A response contains `decision` and a reason. Hooks cannot make the agent ask its
 * user.
 */
export const geminiCliAdapter: HookAdapter = {
  agent: 'gemini-cli',
  canAsk: () => false,
  canBlock: (name) => name === 'BeforeTool' || name === 'BeforeAgent',
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  const name = readShortTextField(payload, 'hook_event_name') ?? '';
  const common: CommonRelayEventFields = {
    session_id: readShortTextField(payload, 'session_id'),
    agent: { name: 'gemini-cli' },
    cwd: readDirectoryField(payload, 'cwd'),
  };
  if (name === 'BeforeAgent')
    return {
      name,
      events: [createPromptEvent(readPromptText(payload, 'prompt'), [], common)],
      report: null,
    };
  if (name !== 'BeforeTool')
    return { name, events: [], report: createHookReport('other', name, payload, common) };
  const tool = readShortTextField(payload, 'tool_name') ?? 'unknown';
  const input = readObjectField(payload, 'tool_input');
  const context = readObjectField(payload, 'mcp_context');
  if (Object.keys(context).length === 0)
    return { name, events: createToolCallEvents(tool, input, common), report: null };
  const words = [readTextField(context, 'command') ?? [], readListField(context, 'args')]
    .flat(2)
    .filter((word) => typeof word === 'string');
  const connector = {
    name: readShortTextField(context, 'tool_name') ?? tool,
    server: readShortTextField(context, 'server_name'),
    url: readTextField(context, 'url'),
    command: words.length > 0 ? words.join(' ') : undefined,
  };
  return { name, events: [createConnectorEvent(connector, input, common)], report: null };
}

function reply(_call: HookCall, { decision, userMessage, agentMessage }: HookDecision): HookReply {
  if (decision === 'abstain')
    return createOutputReply(userMessage === null ? {} : { systemMessage: userMessage });
  if (decision === 'allow') return createOutputReply({ decision: 'allow' });
  const reason = agentMessage ?? userMessage ?? 'This action is not allowed.';
  return createOutputReply({
    decision: 'deny',
    reason,
    ...(userMessage !== null && { systemMessage: userMessage }),
  });
}
