import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { UNKNOWN_FILE_PATH } from '../rules/path-patterns.ts';
import { createHookReport, getHookReportType } from './claude-adapter.ts';
import { type CommonRelayEventFields, createFileEvent } from './file-events.ts';
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
  readTextField,
} from './payload-fields.ts';
import {
  createConnectorEvent,
  createPromptEvent,
  createShellEvent,
  createToolCallEvents,
} from './tool-events.ts';

const REPORT_TYPES: Readonly<Record<string, HookReport['type']>> = {
  sessionStart: 'session_start',
  sessionEnd: 'session_end',
  afterShellExecution: 'shell_result',
  afterMCPExecution: 'tool_result',
  postToolUse: 'tool_result',
  afterFileEdit: 'file_edited',
  stop: 'turn_end',
};

const BLOCKING_HOOKS = new Set([
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
  'beforeSubmitPrompt',
  'preToolUse',
]);

/**
 * The adapter for Cursor. Payloads have flat fields, and responses contain a permission or `continue`.
 * Register either `preToolUse` or the hooks for specific actions. If both are registered, Cursor runs both
 * for each action.
 */
export const cursorAdapter: HookAdapter = {
  agent: 'cursor',
  // Tested builds accept `ask`, and block without a dialog.
  canAsk: () => false,
  canBlock: (name) => BLOCKING_HOOKS.has(name),
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  const name = readShortTextField(payload, 'hook_event_name') ?? '';
  const common = readCommonFields(name, payload);
  const gate = (events: HookCall['events']): HookCall => ({ name, events, report: null });
  switch (name) {
    case 'beforeShellExecution':
      return gate([
        createShellEvent(
          { command: readTextField(payload, 'command') ?? null, dialect: 'bash', input: payload },
          common,
        ),
      ]);
    case 'beforeMCPExecution': {
      const connector = {
        name: readShortTextField(payload, 'tool_name') ?? 'unknown',
        url: readTextField(payload, 'url'),
        command: readTextField(payload, 'command'),
      };
      return gate([createConnectorEvent(connector, readObjectField(payload, 'tool_input'), common)]);
    }
    case 'beforeReadFile': {
      const path = readTextField(payload, 'file_path') || UNKNOWN_FILE_PATH;
      return gate([createFileEvent('file_read', path, readTextField(payload, 'content'), common)]);
    }
    case 'beforeSubmitPrompt':
      return gate([createPromptEvent(readPromptText(payload, 'prompt'), attachmentPaths(payload), common)]);
    case 'preToolUse':
      return gate(
        createToolCallEvents(
          readShortTextField(payload, 'tool_name') ?? 'unknown',
          readObjectField(payload, 'tool_input'),
          common,
        ),
      );
    default:
      return {
        name,
        events: [],
        report: createHookReport(getHookReportType(REPORT_TYPES, name), name, payload, common),
      };
  }
}

function attachmentPaths(payload: JsonObject): string[] {
  return readListField(payload, 'attachments').flatMap((entry) => {
    const path = isJsonObject(entry) ? readTextField(entry, 'file_path', 'filePath') : undefined;
    return path ? [path] : [];
  });
}

function readCommonFields(name: string, payload: JsonObject): CommonRelayEventFields {
  const toolUse = readShortTextField(payload, 'tool_use_id');
  const [root] = readListField(payload, 'workspace_roots');
  const cwd =
    (readDirectoryField(payload, 'cwd') || undefined) ?? (typeof root === 'string' ? root : undefined);
  return {
    id: toolUse === undefined ? undefined : `${name}:${toolUse}`.slice(0, 200),
    session_id: readShortTextField(payload, 'session_id', 'conversation_id'),
    turn_id: readShortTextField(payload, 'generation_id'),
    tool_use_id: toolUse,
    agent: { name: 'cursor', version: readShortTextField(payload, 'cursor_version') },
    user: readShortTextField(payload, 'user_email'),
    cwd,
  };
}

function reply({ name }: HookCall, { decision, userMessage, agentMessage }: HookDecision): HookReply {
  if (!BLOCKING_HOOKS.has(name)) return createOutputReply({});
  if (name === 'beforeSubmitPrompt')
    return createOutputReply(
      decision === 'deny' || decision === 'ask'
        ? { continue: false, ...messageField('user_message', userMessage) }
        : { continue: true },
    );
  // A hook that fails closed would treat an empty output as a denial.
  if (decision === 'abstain') return createOutputReply({});
  const told =
    agentMessage !== null && agentMessage !== userMessage ? [userMessage, agentMessage] : [userMessage];
  // The model reads `user_message`, so the instructions for the model must be in it.
  const message = told.filter((part) => part !== null).join('\n');
  if (name === 'beforeReadFile')
    return createOutputReply({
      permission: decision === 'allow' ? 'allow' : 'deny',
      ...messageField('user_message', message),
    });
  return createOutputReply({
    permission: decision,
    ...messageField('user_message', message),
    ...messageField('agent_message', agentMessage),
  });
}

function messageField(field: string, message: string | null): JsonObject {
  return message === null || message === '' ? {} : { [field]: message };
}
