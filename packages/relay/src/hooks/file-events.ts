import { MAX_RELAY_PATH_CHARS, type RelayEvent } from '@floe/contract/api/relay';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { findPatchedFiles } from '../patch-files.ts';
import { cleanSegments, UNKNOWN_FILE_PATH } from '../rules/path-patterns.ts';
import { readListField, readTextField, readTextFields, toJsonText } from './payload-fields.ts';

/** The fields that all events of one call have in common. */
export type CommonRelayEventFields = Omit<RelayEvent, 'event' | 'shell' | 'tool' | 'prompt' | 'file'>;

const PATH_FIELDS = [
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'absolutePath',
  'notebook_path',
  'target_notebook',
  'target_file',
  'filename',
  'file',
];
const PATH_LIST_FIELDS = ['files', 'paths', 'file_paths', 'filePaths', 'replacements', 'edits'];
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
/** Fields of a search that restrict the files by their names. */
const FILTER_FIELDS = ['glob', 'include', 'includePattern', 'include_pattern', 'file_pattern'];

/** Creates the event for a file access. */
export function createFileEvent(
  event: 'file_read' | 'file_write',
  path: string,
  content: string | undefined,
  common: CommonRelayEventFields,
): RelayEvent {
  return { ...common, event, file: { path: shortenPath(path), content } };
}

/** Resolves `a/../` in a path that is too long for an event, as agents do, and keeps the end. */
export function shortenPath(path: string): string {
  return path.length <= MAX_RELAY_PATH_CHARS ? path : cleanSegments(path).slice(-MAX_RELAY_PATH_CHARS) || '/';
}

/** The kinds of tools that access files. */
export type FileToolKind = 'read' | 'search' | 'write' | 'patch';

/**
 * Creates one event for each file that the input of a tool names. If the input names no file in a known form, creates
 * one event with the path `UNKNOWN_FILE_PATH`, because the tool may access any file. For a search that names neither a
 * directory nor a file, creates no event, because it searches the working directory.
 */
export function createFileToolEvents(
  kind: FileToolKind,
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent[] {
  const files = kind === 'patch' ? createPatchEvents(input, common) : createFileEvents(kind, input, common);
  if (files.length > 0 || kind === 'search') return files;
  const event = kind === 'read' ? 'file_read' : 'file_write';
  const content = kind === 'read' ? undefined : toJsonText(input);
  return [createFileEvent(event, UNKNOWN_FILE_PATH, content, common)];
}

function createFileEvents(
  kind: 'read' | 'search' | 'write',
  input: JsonObject,
  common: CommonRelayEventFields,
): RelayEvent[] {
  const named = readTextFields(input, ...PATH_FIELDS);
  const paths = [
    ...named,
    ...(kind === 'search' ? findSearchedFiles(input, named[0]) : []),
    ...PATH_LIST_FIELDS.flatMap((name) => readListField(input, name)),
    ...readListField(input, 'include').map((name) =>
      typeof name === 'string' ? withoutAnyDirectory(name) : name,
    ),
  ];
  const content = kind === 'write' ? readContent(input) : undefined;
  const event = kind === 'write' ? 'file_write' : 'file_read';
  return paths.flatMap((entry) => {
    if (typeof entry === 'string') return entry ? [createFileEvent(event, entry, content, common)] : [];
    const path = isJsonObject(entry) ? readTextField(entry, ...PATH_FIELDS) : undefined;
    if (!path || !isJsonObject(entry)) return [];
    const own = kind === 'write' ? (readContent(entry) ?? content) : undefined;
    return [createFileEvent(event, path, own, common)];
  });
}

/** The files that a search names in its filter, such as `.env` in `**\/.env`. */
function findSearchedFiles(input: JsonObject, directory = '.'): string[] {
  return readTextFields(input, ...FILTER_FIELDS)
    .flatMap((filter) => filter.split(/[,{}]/))
    .map((filter) => withoutAnyDirectory(filter.trim()))
    .filter((name) => name !== '' && !/^!|[*?[\]]/.test(name))
    .map((name) => `${directory}/${name}`);
}

/** `**\/.env` is `.env` in any directory. */
function withoutAnyDirectory(name: string): string {
  return name.replace(/^(?:\*\*?\/)+/, '');
}

/** The new content of a file, from every field that can contain it. Undefined if there is none. */
function readContent(input: JsonObject): string | undefined {
  const edits = readListField(input, 'edits').flatMap((edit) =>
    isJsonObject(edit) ? readTextFields(edit, ...CONTENT_FIELDS) : [],
  );
  const texts = [...readTextFields(input, ...CONTENT_FIELDS), ...edits];
  return texts.length > 0 ? texts.join('\n') : undefined;
}

/** Creates one event per file in a patch. Returns an empty list for a patch without file names. */
function createPatchEvents(input: JsonObject, common: CommonRelayEventFields): RelayEvent[] {
  const words = readListField(input, 'command').filter((word) => typeof word === 'string');
  const texts = readTextFields(input, 'patch', 'input', 'command', 'diff');
  return [...texts, ...(words.length > 0 ? [words.join('\n')] : [])].flatMap((patch) =>
    [...findPatchedFiles(patch)].map(([path, part]) => createFileEvent('file_write', path, part, common)),
  );
}
