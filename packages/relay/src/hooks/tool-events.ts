import { MAX_RELAY_PATH_CHARS, type RelayEvent } from '@floe/contract/api/relay';
import type { Json, JsonObject } from '@floe/contract/json';
import { UNKNOWN_SERVER } from '../rules/match-tool.ts';
import { UNKNOWN_FILE_PATH } from '../rules/path-patterns.ts';
import { type CommonRelayEventFields, createFileToolEvents, shortenPath } from './file-events.ts';
import {
  readListField,
  readObjectField,
  readTextField,
  readTextFields,
  toJsonText,
} from './payload-fields.ts';
import { findToolKind, isMatchedByName } from './tool-kinds.ts';

const MCP_TOOL_NAME = /^mcp__(.+?)__(.+)$|^mcp_([^_]+)_(.+)$|^MCP:(.+)$/s;

/**
 * Copilot CLI names the tools of connectors `<connector>-<tool>`. Both parts can contain dashes, so the connector is
 * unknown. The names of its own tools contain no dash.
 */
const COPILOT_CLI = 'copilot-cli';

/** Creates the events for a tool call. A call that accesses several files has one event for each file. */
export function createToolCallEvents(
  name: string,
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent[] {
  const events = createEvents(name, input, common);
  if (isMatchedByName(name) && events.every(({ tool }) => tool === undefined))
    events.push(createToolEvent({ name }, input, common));
  // An id identifies one event, so only the first event has the id of the call.
  return events.map((event, at) =>
    at === 0 || event.id === undefined ? event : { ...event, id: `${event.id.slice(0, 190)}#${at}` },
  );
}

function createEvents(name: string, input: JsonObject, common: CommonRelayEventFields): RelayEvent[] {
  const mcp = MCP_TOOL_NAME.exec(name);
  if (mcp)
    return [
      createConnectorEvent(
        { server: mcp[1] ?? mcp[3], name: mcp[2] ?? mcp[4] ?? mcp[5] ?? name },
        input,
        common,
      ),
    ];
  if (common.agent.name === COPILOT_CLI && name.includes('-'))
    return [createConnectorEvent({ name }, input, common)];
  const kind = findToolKind(name);
  switch (kind) {
    case 'shell':
    case 'powershell': {
      const dialect = kind === 'shell' ? 'bash' : 'powershell';
      const around = withWorkingDirectory(input, common);
      return readCommands(input).map((command) => createShellEvent({ command, dialect, input }, around));
    }
    case 'typing':
    case 'powershell typing': {
      const dialect = kind === 'typing' ? 'bash' : 'powershell';
      const typed = readTextFields(input, 'command', 'input', 'chars').map(readTypedText);
      return (typed.length > 0 ? typed.filter((text) => text !== '') : [null]).map((command) =>
        createShellEvent({ command, dialect, input }, common),
      );
    }
    case 'patch':
    case 'read':
    case 'search':
    case 'write': {
      const files = createFileToolEvents(kind, input, common);
      const isKnown = files.some(({ file }) => file?.path !== UNKNOWN_FILE_PATH);
      return isKnown ? files : [createToolEvent({ name }, input, common), ...files];
    }
    default:
      return [createToolEvent({ name }, input, common)];
  }
}

/** A shell command in the input of a tool. */
interface ShellToolInput {
  /** Null if the input contains no command in a known form. */
  readonly command: string | null;
  readonly dialect: NonNullable<RelayEvent['shell']>['dialect'];
  readonly input: JsonObject;
}

/**
 * Creates the event for a shell command. If the command cannot be read, the event contains the whole input, which
 * rules treat as a command that cannot be analyzed.
 */
export function createShellEvent(
  { command, dialect, input }: ShellToolInput,
  common: CommonRelayEventFields,
): RelayEvent {
  const shell =
    command === null ? { command: toJsonText(input), dialect: 'unknown' as const } : { command, dialect };
  return { ...common, event: 'shell', shell };
}

/** A tool, and the connector that provides it. Built-in tools have only a name. */
export interface ToolReference {
  readonly name: string;
  readonly server?: string | undefined;
  readonly url?: string | undefined;
  readonly command?: string | undefined;
}

/**
 * Creates the event for a call of a tool that a connector provides, or of a built-in tool that rules match by
 * its name.
 */
function createToolEvent(
  connector: ToolReference,
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent {
  const tool = { ...connector, name: connector.name.slice(0, 200), arguments: input };
  return { ...common, event: 'tool', tool };
}

/**
 * Creates the event for a call of a connector's tool. If the agent does not state which connector it is, the
 * connector is unknown, so that rules for connectors may match.
 */
export function createConnectorEvent(
  { name, server, url, command }: ToolReference,
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent {
  const known = {
    url: url?.slice(0, MAX_RELAY_PATH_CHARS) || undefined,
    command: command?.slice(0, MAX_RELAY_PATH_CHARS) || undefined,
  };
  const isUnknown = known.url === undefined && known.command === undefined && !server;
  const label = isUnknown ? UNKNOWN_SERVER : server?.slice(0, 200) || undefined;
  return createToolEvent({ name, server: label, ...known }, input, common);
}

/** Creates the event for a prompt. */
export function createPromptEvent(
  prompt: string,
  attachments: readonly string[],
  common: CommonRelayEventFields,
): RelayEvent {
  return {
    ...common,
    event: 'prompt',
    prompt: {
      text: prompt,
      attachments: attachments.filter(Boolean).map((path) => ({ path: shortenPath(path) })),
    },
  };
}

/** Keys that end a line, and keys that end the input or the mode of a program. */
const LINE_END_KEYS =
  /\{(?:enter|return|esc|escape|ctrl[+-][cdz])\}|\r\n?|[\x03\x04\x1a]|(?<![^\r\n])\x1b(?![[O])/gi;
/** The names that agents give to other keys, such as `{up}`. */
const NAMED_KEYS =
  /(?<!\$)\{(?:up|down|left|right|home|end|page-?up|page-?down|tab|space|backspace|delete|(?:ctrl|alt|shift)[+-]\w+|f\d+)\}/gi;
const CONTROL_KEYS = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[A-Z])?|[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * The lines that keys type into a shell. Empty if they type none, such as Ctrl-C and arrow keys. In a line with text,
 * other keys change the text, so they remain as control characters, which make the line unclear.
 */
function readTypedText(keys: string): string {
  const lines = keys.replaceAll(LINE_END_KEYS, '\n').replaceAll(NAMED_KEYS, '\x1b').trim();
  return lines.replaceAll(CONTROL_KEYS, '').trim() === '' ? '' : lines;
}

/**
 * The commands in the input of a shell tool. A model may set several fields, and the agent uses only one, so every
 * field counts. Null if the input contains no command in a known form.
 */
function readCommands(input: JsonObject): readonly (string | null)[] {
  const task = readObjectField(input, 'task');
  const texts = readTextFields(input, 'command', 'cmd', 'script', 'CommandLine', 'command_line');
  const lists = ['command', 'cmd', 'argv'].map((name) => readListField(input, name));
  const taskWords = [readTextField(task, 'command') ?? [], readListField(task, 'args')].flat();
  const found = [
    ...texts,
    ...lists.filter((words) => words.length > 0).map(readWordList),
    ...(taskWords.length > 0 ? [readWordList(taskWords, 1)] : []),
  ];
  return found.length > 0 ? [...new Set(found)] : [null];
}

/** Some agents send an argument list instead of a string. For `bash -lc code`, the command is the code. */
function readWordList(words: readonly Json[], codeWords = 0): string | null {
  if (!words.every((word) => typeof word === 'string')) return null;
  if (words.length === 3 && /^-\w*c$/.test(words[1] ?? '') && /sh$/.test(words[0] ?? ''))
    return words[2] ?? null;
  return words.map((word, at) => (at < codeWords ? word : quoteWord(word))).join(' ');
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The directory of the call may be relative to the agent's directory. It is unknown if it is too long. */
function withWorkingDirectory(input: JsonObject, common: CommonRelayEventFields): CommonRelayEventFields {
  const given = readTextField(input, 'workdir', 'cwd', 'directory', 'dir_path');
  if (!given) return common;
  const isRelative = !/^(?:[\\/~]|[a-zA-Z]:)/.test(given) && common.cwd !== undefined;
  const cwd = isRelative ? `${common.cwd}/${given}` : given;
  return { ...common, cwd: cwd.length > MAX_RELAY_PATH_CHARS ? undefined : cwd };
}
