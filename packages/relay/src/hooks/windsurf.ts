import { isObject, type JsonObject } from '@floe/contract/json';
import { type HookAdapter, type HookCall, type HookReply, type Outcome, printed } from './adapter.ts';
import { reportOf } from './claude-shape.ts';
import { label, list, object, text } from './fields.ts';
import { type Common, connectorEvent, fileEvent, promptEvent, shellEvents } from './tool-events.ts';

/** Windsurf: only the exit code 2 stops anything, with the reason on the error output. */
export const windsurf: HookAdapter = {
  agent: 'windsurf',
  asks: () => false,
  gates: (name) => name.startsWith('pre_'),
  read,
  reply: stopByExit,
};

function read(payload: JsonObject): HookCall {
  const name = label(payload, 'agent_action_name') ?? '';
  const info = object(payload, 'tool_info');
  const common: Common = {
    session_id: label(payload, 'trajectory_id'),
    turn_id: label(payload, 'execution_id'),
    agent: { name: 'windsurf' },
    cwd: text(info, 'cwd'),
  };
  const gate = (events: HookCall['events']): HookCall => ({ name, events, report: null });
  switch (name) {
    case 'pre_run_command':
      return gate(shellEvents(text(info, 'command_line') ?? '', 'bash', common));
    case 'pre_mcp_tool_use': {
      const connector = {
        name: label(info, 'mcp_tool_name') ?? 'unknown',
        server: label(info, 'mcp_server_name'),
      };
      return gate([connectorEvent(connector, object(info, 'mcp_tool_arguments'), common)]);
    }
    case 'pre_user_prompt':
      return gate([promptEvent(text(info, 'user_prompt') ?? '', [], common)]);
    case 'pre_read_code':
      return gate([fileEvent('file_read', text(info, 'file_path') || 'unknown', undefined, common)]);
    case 'pre_write_code':
      return gate([fileEvent('file_write', text(info, 'file_path') || 'unknown', newText(info), common)]);
    default:
      return { name, events: [], report: reportOf('other', name, payload, common) };
  }
}

function newText(info: JsonObject): string {
  return list(info, 'edits')
    .flatMap((edit) => (isObject(edit) ? [text(edit, 'new_string') ?? ''] : []))
    .join('\n');
}

function stopByExit(_call: HookCall, { decision, userMessage, agentMessage }: Outcome): HookReply {
  if (decision === 'abstain' || decision === 'allow') return printed(null);
  return { stdout: null, stderr: agentMessage ?? userMessage ?? 'Not allowed here.', exitCode: 2 };
}
