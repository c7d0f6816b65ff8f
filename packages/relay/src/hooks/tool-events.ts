import type { RelayEvent } from '@floe/contract/api/relay';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { readListField, readTextField } from './payload-fields.ts';

/** The fields that all events of one call have in common. */
export type CommonRelayEventFields = Omit<RelayEvent, 'event' | 'shell' | 'tool' | 'prompt' | 'file'>;

type ToolKind = 'shell' | 'powershell' | 'read' | 'write' | 'patch';

/** Kinds of built-in tools, by their name without case and separators. Any other tool is a tool call. */
const KIND_BY_TOOL: Readonly<Record<string, ToolKind>> = {
  bash: 'shell',
  shell: 'shell',
  localshell: 'shell',
  exec: 'shell',
  execcommand: 'shell',
  executecommand: 'shell',
  runcommand: 'shell',
  runshellcommand: 'shell',
  runterminalcommand: 'shell',
  runinterminal: 'shell',
  terminal: 'shell',
  powershell: 'powershell',
  read: 'read',
  readfile: 'read',
  readmanyfiles: 'read',
  view: 'read',
  viewimage: 'read',
  openfile: 'read',
  grep: 'read',
  glob: 'read',
  search: 'read',
  listdir: 'read',
  write: 'write',
  writefile: 'write',
  writetofile: 'write',
  create: 'write',
  createfile: 'write',
  edit: 'write',
  editfile: 'write',
  editfiles: 'write',
  multiedit: 'write',
  notebookedit: 'write',
  insertedit: 'write',
  inserteditintofile: 'write',
  replace: 'write',
  replaceinfile: 'write',
  replacestringinfile: 'write',
  strreplaceeditor: 'write',
  strreplace: 'write',
  delete: 'write',
  deletefile: 'write',
  applypatch: 'patch',
};

const PATH_FIELDS = [
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'notebook_path',
  'target_file',
  'filename',
  'file',
];
const CONTENT_FIELDS = [
  'content',
  'new_string',
  'newString',
  'file_text',
  'new_str',
  'code',
  'new_source',
  'text',
  'diff',
];
const MCP_TOOL_NAME = /^mcp__(.+?)__(.+)$|^mcp_([^_]+)_(.+)$|^MCP:(.+)$/s;

/** Creates the events for a tool call. A tool call with several files has several events. */
export function createToolEvents(
  name: string,
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent[] {
  const events = createEvents(name, input, common);
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
  const plain = name.toLowerCase().replaceAll(/[_\s-]/g, '');
  const kind = Object.hasOwn(KIND_BY_TOOL, plain) ? KIND_BY_TOOL[plain] : undefined;
  switch (kind) {
    case 'shell':
    case 'powershell':
      return createShellEvents(
        readCommand(input),
        kind === 'shell' ? 'bash' : 'powershell',
        withWorkingDirectory(input, common),
      );
    case 'patch':
      return createPatchEvents(readTextField(input, 'patch', 'input', 'command', 'diff') ?? '', common);
    case 'read':
    case 'write': {
      const files = createFileEvents(kind, input, common);
      return files.length > 0 ? files : [createConnectorEvent({ name }, input, common)];
    }
    default:
      return [createConnectorEvent({ name }, input, common)];
  }
}

/** Creates the event for a shell command. Returns an empty list if the input has no command. */
export function createShellEvents(
  command: string | null,
  dialect: NonNullable<RelayEvent['shell']>['dialect'],
  common: CommonRelayEventFields,
): RelayEvent[] {
  return command === null ? [] : [{ ...common, event: 'shell', shell: { command, dialect } }];
}

/** The connector that provides a tool. */
export interface ToolConnector {
  readonly name: string;
  readonly server?: string | undefined;
  readonly url?: string | undefined;
  readonly command?: string | undefined;
}

/** Creates the event for a tool call through a connector. */
export function createConnectorEvent(
  connector: ToolConnector,
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent {
  const tool = { ...connector, name: connector.name.slice(0, 200), arguments: input };
  return { ...common, event: 'tool', tool };
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
    prompt: { text: prompt, attachments: attachments.map((path) => ({ path })) },
  };
}

/** Creates the event for a file access. */
export function createFileEvent(
  event: 'file_read' | 'file_write',
  path: string,
  content: string | undefined,
  common: CommonRelayEventFields,
): RelayEvent {
  return { ...common, event, file: { path, content } };
}

/** Some agents send an argument list instead of a string. For `bash -lc code`, the command is the code. */
function readCommand(input: JsonObject): string | null {
  const command = readTextField(input, 'command', 'cmd', 'script', 'CommandLine', 'command_line');
  if (command !== undefined) return command;
  const words =
    ['command', 'cmd', 'argv'].map((name) => readListField(input, name)).find((found) => found.length > 0) ??
    [];
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return null;
  if (words.length === 3 && /^-\w*c$/.test(words[1] ?? '') && /sh$/.test(words[0] ?? ''))
    return words[2] ?? null;
  return words.map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function withWorkingDirectory(input: JsonObject, common: CommonRelayEventFields): CommonRelayEventFields {
  const cwd = readTextField(input, 'workdir', 'cwd', 'directory', 'dir_path');
  return cwd ? { ...common, cwd } : common;
}

function createFileEvents(
  kind: 'read' | 'write',
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent[] {
  const paths = [
    readTextField(input, ...PATH_FIELDS) ?? [],
    ...['files', 'paths', 'file_paths', 'filePaths'].flatMap((name) => readListField(input, name)),
  ].flat();
  const content = kind === 'write' ? readTextField(input, ...CONTENT_FIELDS) : undefined;
  return paths.flatMap((entry) => {
    const path =
      typeof entry === 'string'
        ? entry
        : isJsonObject(entry)
          ? readTextField(entry, ...PATH_FIELDS)
          : undefined;
    return path ? [createFileEvent(kind === 'read' ? 'file_read' : 'file_write', path, content, common)] : [];
  });
}

/** Creates one event per file in a patch. A patch without file names becomes an event of an unknown file. */
function createPatchEvents(patch: string, common: CommonRelayEventFields): RelayEvent[] {
  const paths = new Set<string>();
  for (const [, path] of patch.matchAll(
    /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b\/)?|--- (?:a\/)?)(.+?)\s*$/gm,
  ))
    if (path !== undefined && path !== '/dev/null') paths.add(path);
  const content = patch.slice(0, 1 << 20);
  return [...paths].slice(0, 100).map((path) => createFileEvent('file_write', path, content, common));
}
