import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { UNKNOWN_FILE_PATH } from '../rules/path-patterns.ts';
import { createHookReport } from './claude-adapter.ts';
import { type CommonRelayEventFields, createFileEvent } from './file-events.ts';
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
import { createConnectorEvent, createPromptEvent, createShellEvent } from './tool-events.ts';

/**
 * The adapter for Windsurf. A hook blocks an action with exit code 2 and writes the reason to standard error.
 */
export const windsurfAdapter: HookAdapter = {
  agent: 'windsurf',
  canAsk: () => false,
  canBlock: (name) => name.startsWith('pre_'),
  read,
  reply,
};

function read(payload: JsonObject): HookCall {
  const name = readShortTextField(payload, 'agent_action_name') ?? '';
  const info = readObjectField(payload, 'tool_info');
  const common: CommonRelayEventFields = {
    session_id: readShortTextField(payload, 'trajectory_id'),
    turn_id: readShortTextField(payload, 'execution_id'),
    agent: { name: 'windsurf' },
    cwd: readDirectoryField(info, 'cwd'),
  };
  const gate = (events: HookCall['events']): HookCall => ({ name, events, report: null });
  switch (name) {
    case 'pre_run_command':
      return gate([
        createShellEvent(
          { command: readTextField(info, 'command_line') ?? null, dialect: 'bash', input: info },
          common,
        ),
      ]);
    case 'pre_mcp_tool_use': {
      const connector = {
        name: readShortTextField(info, 'mcp_tool_name') ?? 'unknown',
        server: readShortTextField(info, 'mcp_server_name'),
      };
      return gate([createConnectorEvent(connector, readObjectField(info, 'mcp_tool_arguments'), common)]);
    }
    case 'pre_user_prompt':
      return gate([createPromptEvent(readPromptText(info, 'user_prompt'), [], common)]);
    case 'pre_read_code':
      return gate([
        createFileEvent(
          'file_read',
          readTextField(info, 'file_path') || UNKNOWN_FILE_PATH,
          undefined,
          common,
        ),
      ]);
    case 'pre_write_code':
      return gate([
        createFileEvent(
          'file_write',
          readTextField(info, 'file_path') || UNKNOWN_FILE_PATH,
          readNewText(info),
          common,
        ),
      ]);
    default:
      return { name, events: [], report: createHookReport('other', name, payload, common) };
  }
}

function readNewText(info: JsonObject): string {
  return readListField(info, 'edits')
    .flatMap((edit) => (isJsonObject(edit) ? [readTextField(edit, 'new_string') ?? ''] : []))
    .join('\n');
}

function reply(_call: HookCall, { decision, userMessage, agentMessage }: HookDecision): HookReply {
  if (decision === 'abstain' || decision === 'allow') return createOutputReply(null);
  return { stdout: null, stderr: agentMessage ?? userMessage ?? 'This action is not allowed.', exitCode: 2 };
}
