import { isObject, type JsonObject } from '@floe/contract/json';
import {
  type HookAdapter,
  type HookCall,
  type HookReply,
  type HookReport,
  type Outcome,
  printed,
} from './adapter.ts';
import { reportOf, reportType } from './claude-shape.ts';
import { label, list, object, text } from './fields.ts';
import {
  type Common,
  connectorEvent,
  fileEvent,
  promptEvent,
  shellEvents,
  toolEvents,
} from './tool-events.ts';

const REPORTS: Readonly<Record<string, HookReport['type']>> = {
  sessionStart: 'session_start',
  sessionEnd: 'session_end',
  afterShellExecution: 'shell_result',
  afterMCPExecution: 'tool_result',
  postToolUse: 'tool_result',
  afterFileEdit: 'file_edited',
  stop: 'turn_end',
};

const GATES = new Set([
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
  'beforeSubmitPrompt',
  'preToolUse',
]);

/** Cursor: flat fields, a permission or `continue` in the answer. Register one layer: `preToolUse` fires beside the others. */
export const cursor: HookAdapter = {
  agent: 'cursor',
  // `ask` is accepted, and blocks without a dialog in the builds seen.
  asks: () => false,
  gates: (name) => GATES.has(name),
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  const name = label(payload, 'hook_event_name') ?? '';
  const common = commonOf(name, payload);
  const gate = (events: HookCall['events']): HookCall => ({ name, events, report: null });
  switch (name) {
    case 'beforeShellExecution':
      return gate(shellEvents(text(payload, 'command') ?? '', 'bash', common));
    case 'beforeMCPExecution': {
      const connector = {
        name: label(payload, 'tool_name') ?? 'unknown',
        url: text(payload, 'url'),
        command: text(payload, 'command'),
      };
      return gate([connectorEvent(connector, object(payload, 'tool_input'), common)]);
    }
    case 'beforeReadFile': {
      const path = text(payload, 'file_path') || 'unknown';
      return gate([fileEvent('file_read', path, text(payload, 'content'), common)]);
    }
    case 'beforeSubmitPrompt':
      return gate([promptEvent(text(payload, 'prompt') ?? '', attachments(payload), common)]);
    case 'preToolUse':
      return gate(
        toolEvents(label(payload, 'tool_name') ?? 'unknown', object(payload, 'tool_input'), common),
      );
    default:
      return { name, events: [], report: reportOf(reportType(REPORTS, name), name, payload, common) };
  }
}

function attachments(payload: JsonObject): string[] {
  return list(payload, 'attachments').flatMap((entry) => {
    const path = isObject(entry) ? text(entry, 'file_path', 'filePath') : undefined;
    return path ? [path] : [];
  });
}

function commonOf(name: string, payload: JsonObject): Common {
  const toolUse = label(payload, 'tool_use_id');
  const [root] = list(payload, 'workspace_roots');
  const cwd = (text(payload, 'cwd') || undefined) ?? (typeof root === 'string' ? root : undefined);
  return {
    id: toolUse === undefined ? undefined : `${name}:${toolUse}`.slice(0, 200),
    session_id: label(payload, 'session_id', 'conversation_id'),
    turn_id: label(payload, 'generation_id'),
    tool_use_id: toolUse,
    agent: { name: 'cursor', version: label(payload, 'cursor_version') },
    user: label(payload, 'user_email'),
    cwd,
  };
}

function reply({ name }: HookCall, { decision, userMessage, agentMessage }: Outcome): HookReply {
  if (!GATES.has(name)) return printed({});
  if (name === 'beforeSubmitPrompt')
    return printed(
      decision === 'deny' || decision === 'ask'
        ? { continue: false, ...spoken('user_message', userMessage) }
        : { continue: true },
    );
  // Nothing printed would be refused where the hook is set to fail closed.
  if (decision === 'abstain') return printed({});
  const told =
    agentMessage !== null && agentMessage !== userMessage ? [userMessage, agentMessage] : [userMessage];
  // The model reads `user_message`: what it is to do differently must stand there.
  const message = told.filter((part) => part !== null).join('\n');
  if (name === 'beforeReadFile')
    return printed({
      permission: decision === 'allow' ? 'allow' : 'deny',
      ...spoken('user_message', message),
    });
  return printed({
    permission: decision,
    ...spoken('user_message', message),
    ...spoken('agent_message', agentMessage),
  });
}

function spoken(field: string, message: string | null): JsonObject {
  return message === null || message === '' ? {} : { [field]: message };
}
