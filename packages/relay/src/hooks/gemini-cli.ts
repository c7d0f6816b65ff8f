import type { JsonObject } from '@floe/contract/json';
import { type HookAdapter, type HookCall, type HookReply, type Outcome, printed } from './adapter.ts';
import { reportOf } from './claude-shape.ts';
import { label, list, object, text } from './fields.ts';
import { type Common, connectorEvent, promptEvent, toolEvents } from './tool-events.ts';

/** Gemini CLI: `decision` with a reason; it has no way to ask from a hook. */
export const geminiCli: HookAdapter = {
  agent: 'gemini-cli',
  asks: () => false,
  gates: (name) => name === 'BeforeTool' || name === 'BeforeAgent',
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  const name = label(payload, 'hook_event_name') ?? '';
  const common: Common = {
    session_id: label(payload, 'session_id'),
    agent: { name: 'gemini-cli' },
    cwd: text(payload, 'cwd'),
  };
  if (name === 'BeforeAgent')
    return { name, events: [promptEvent(text(payload, 'prompt') ?? '', [], common)], report: null };
  if (name !== 'BeforeTool') return { name, events: [], report: reportOf('other', name, payload, common) };
  const tool = label(payload, 'tool_name') ?? 'unknown';
  const input = object(payload, 'tool_input');
  const context = object(payload, 'mcp_context');
  const server = label(context, 'server_name');
  if (server === undefined) return { name, events: toolEvents(tool, input, common), report: null };
  const words = [text(context, 'command') ?? [], list(context, 'args')]
    .flat(2)
    .filter((word) => typeof word === 'string');
  const connector = {
    name: label(context, 'tool_name') ?? tool,
    server,
    url: text(context, 'url'),
    command: words.length > 0 ? words.join(' ') : undefined,
  };
  return { name, events: [connectorEvent(connector, input, common)], report: null };
}

function reply(_call: HookCall, { decision, userMessage, agentMessage }: Outcome): HookReply {
  if (decision === 'abstain') return printed(userMessage === null ? {} : { systemMessage: userMessage });
  if (decision === 'allow') return printed({ decision: 'allow' });
  const reason = agentMessage ?? userMessage ?? 'Not allowed here.';
  return printed({ decision: 'deny', reason, ...(userMessage !== null && { systemMessage: userMessage }) });
}
