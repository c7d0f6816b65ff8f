import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import { predictFileSearchOutput } from '../shell/command-output.ts';
import { ANY_TEXT_WILDCARD, filterToWordPattern, isUnknownPattern } from '../shell/glob.ts';
import { findPositionalArguments } from '../shell/positional-arguments.ts';
import type { ShellWord } from '../shell/shell-word.ts';
import type { CommandFileRoles, FileRole } from './command-file-roles.ts';
import { resolveFileRoles } from './file-roles.ts';
import { findGoverningPaths } from './governing-commands.ts';

/** A file that a command would read or write. */
export interface FileAccess {
  readonly use: 'read' | 'write';
  /** The path, with the wildcards of glob.ts for unknown parts. Null if the whole path is unknown. */
  readonly path: string | null;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the files that shell code may read or write: the targets of redirects, and arguments that may be
 * files.
 */
export function findFileAccesses({ commands, variables }: ShellAnalysis): FileAccess[] {
  return commands.flatMap((command) => [
    ...redirectAccesses(command),
    ...argumentAccesses(command, variables),
  ]);
}

function redirectAccesses({ redirects }: SimpleCommand): FileAccess[] {
  return redirects.flatMap(({ operator, target }) => {
    // `2>&1` names no file.
    if (/&$/.test(operator) && /^[\d-]+$/.test(target.text ?? '')) return [];
    if (operator === '<') return [createAccess(target, 'read')];
    return operator === '<>'
      ? [createAccess(target, 'read'), createAccess(target, 'write')]
      : [createAccess(target, 'write')];
  });
}

function argumentAccesses(command: SimpleCommand, variables: ReadonlySet<string>): FileAccess[] {
  const { name, args, own, start, end } = command;
  if (name === null) return [];
  const wholeCommand = { start, end };
  const words = toOptionWords(name, args.slice(0, own));
  const [first] = findPositionalArguments(name, words);
  const subcommand = first?.word.text ?? null;
  const options = words.flatMap(({ text }) => (text?.startsWith('-') ? [text] : []));
  const roles = resolveFileRoles(name, subcommand, options);
  const isSubcommand = roles !== resolveFileRoles(name, null, options);
  const rest = isSubcommand && first ? words.slice(first.at + 1) : words;
  if (name === 'dd') return ddAccesses(words);
  return [
    ...operandAccesses(rest, roles, options),
    ...optionAccesses(rest, roles),
    ...revisionAccesses(name, rest),
    ...findGoverningPaths(name, words, variables).map((path) => ({
      ...wholeCommand,
      use: 'write' as const,
      path,
    })),
    ...(name === 'find' ? findDeletedAccesses(words) : []),
  ];
}

/** The first word of `tar cf archive` consists of options. */
function toOptionWords(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = words;
  return name === 'tar' && first?.text && /^[a-zA-Z]+$/.test(first.text)
    ? [{ ...first, text: `-${first.text}`, pattern: `-${first.pattern}` }, ...rest]
    : words;
}

function ddAccesses(words: readonly ShellWord[]): FileAccess[] {
  return words.flatMap((word) => [
    ...matchedAccesses(word, /^if=(.+)$/s, 'read'),
    ...matchedAccesses(word, /^of=(.+)$/s, 'write'),
  ]);
}

/** Returns the arguments that are neither options nor the string values of options. */
function findOperands(
  words: readonly ShellWord[],
  { textOptions = [], outputOptions = [] }: CommandFileRoles,
): readonly ShellWord[] {
  const operands: ShellWord[] = [];
  let isOver = false;
  for (const [at, word] of words.entries()) {
    const { text } = word;
    const before = words[at - 1]?.text ?? '';
    if (!isOver && text === '--') isOver = true;
    else if (!isOver && text !== null && /^-./.test(text)) continue;
    else if (
      isOver ||
      text?.startsWith('@') ||
      !(textOptions.includes(before) || isOneOfOptions(before, outputOptions))
    )
      operands.push(word);
  }
  return operands;
}

function operandAccesses(
  words: readonly ShellWord[],
  roles: CommandFileRoles,
  options: readonly string[],
): FileAccess[] {
  const { withoutFirst, inPlaceOptions } = roles;
  const operands = findOperands(words, roles);
  const hasFirst = roles.first !== undefined && !options.some((option) => withoutFirst?.test(option));
  const hasTarget = options.some((option) =>
    isOneOfOptions(option.replace(/=.*$/s, ''), roles.outputOptions),
  );
  const { recursiveOptions: recursive } = roles;
  const isRecursive =
    recursive === 'always' || (recursive !== undefined && options.some((option) => recursive.test(option)));
  const isInPlace = options.some((option) => inPlaceOptions?.test(option));
  return operands.flatMap((word, at) => {
    const isLast = at === operands.length - 1 && at > 0 && !hasTarget;
    const role: FileRole =
      at === 0 && hasFirst
        ? (roles.first ?? roles.words)
        : isLast && roles.last !== undefined
          ? roles.last
          : roles.words;
    const accesses = accessesForRole(word, isInPlace && role === 'read' ? 'both' : role);
    return isRecursive ? [...accesses, ...directoryContentAccess(word, 'write')] : accesses;
  });
}

/** Whether a word is one of these options, or a cluster of short options that ends with one: `-fsSLo`. */
function isOneOfOptions(text: string, options: readonly string[] = []): boolean {
  if (options.includes(text)) return true;
  return /^-[a-zA-Z]{2,8}$/.test(text) && options.includes(`-${text.at(-1) ?? ''}`);
}

function accessesForRole(word: ShellWord, role: FileRole): FileAccess[] {
  if (role === 'none') return [];
  const read = [createAccess(word, 'read'), ...directoryContentAccess(word), ...embeddedAccesses(word)];
  if (role === 'read') return read;
  return role === 'write' ? [createAccess(word, 'write')] : [...read, createAccess(word, 'write')];
}

/** Parses `type=bind,src=file,dst=/target`. */
function keyValueAccesses(word: ShellWord): FileAccess[] {
  if (!/^[\w.=-]+=[^,]*,/.test(word.pattern)) return [];
  return word.pattern.split(',').flatMap((part) => {
    const path = /^[\w-]+=(.+)$/s.exec(part)?.[1];
    return path === undefined ? [] : [{ ...createAccess(word, 'read'), path }];
  });
}

/** A command that reads a directory may read all of its content, and one that deletes it deletes its content. */
function directoryContentAccess(word: ShellWord, use: FileAccess['use'] = 'read'): FileAccess[] {
  if (!/[/~]|^\.\w/.test(word.pattern) || word.pattern.startsWith('-')) return [];
  return [{ ...createAccess(word, use), path: `${word.pattern.replace(/\/+$/, '')}/${ANY_TEXT_WILDCARD}` }];
}

/** The files that `find -delete` deletes: those whose names match `-name` or `-path`, or whole directories. */
function findDeletedAccesses(words: readonly ShellWord[]): FileAccess[] {
  const action = words.find(({ text }) => text === '-delete');
  if (!action) return [];
  const end = words.findIndex(({ text }) => text !== null && /^[-(!]/.test(text));
  const roots = words.slice(0, Math.max(0, end));
  const names = words.filter((_, at) => /^-i?(?:name|path)$/.test(words[at - 1]?.text ?? ''));
  if (names.length === 0)
    return roots.flatMap((root) => [createAccess(root, 'write'), ...directoryContentAccess(root, 'write')]);
  return [
    ...predictFileSearchOutput('find', words).map((path) => ({ ...createAccess(action, 'write'), path })),
    ...names.flatMap((name) =>
      name.text === null ? [] : [{ ...createAccess(name, 'write'), path: toFileNamePattern(name.text) }],
    ),
  ];
}

/** The pattern of the files whose names match a filter such as `--include=.env*` or `-g '**\/.env'`. */
function toFileNamePattern(filter: string): string {
  return `./${filterToWordPattern(filter.replace(/^(?:\.?\/|\*\*?\/)+/, ''))}`;
}

function nameFilterAccesses(word: ShellWord, filter: string | null | undefined): FileAccess[] {
  if (!filter || /^[!*]*$|^!/.test(filter)) return [];
  return [{ ...createAccess(word, 'read'), path: toFileNamePattern(filter) }];
}

/** `name=file`, `name@file`, `file:/target` and `@file` also name a file. */
function embeddedAccesses(word: ShellWord): FileAccess[] {
  return [
    ...matchedAccesses(word, /^[\w.[\]-]*(?::?=[@<]?|@)(.+)$/s, 'read'),
    ...matchedAccesses(word, /=[@<]([^;]+);/s, 'read'),
    ...keyValueAccesses(word),
    ...matchedAccesses(word, /^<(.+)$/s, 'read'),
    ...matchedAccesses(word, /^([^:]+):\/[^/]/s, 'read', true),
    ...matchedAccesses(word, /^(?:FILE|OPEN|GOPEN):([^,]+)/is, 'read'),
  ];
}

/** Files in options, in the same word or the next: `--file=x`, `-K x`, `-Tx`. */
function optionAccesses(words: readonly ShellWord[], roles: CommandFileRoles): FileAccess[] {
  const { textOptions = [], outputOptions = [], inputOptions = [], nameOptions = [] } = roles;
  const { alsoWrittenOptions = [] } = roles;
  return words.flatMap((word, at) => {
    const { text } = word;
    if (text === null || !/^-./.test(text)) return [];
    const [option = '', value] = text.split('=', 2);
    const next = words[at + 1];
    const nextAccesses = (use: FileAccess['use']) => (next ? [createAccess(next, use)] : []);
    if (nameOptions.includes(option)) return nameFilterAccesses(word, value ?? next?.text);
    if (textOptions.includes(option)) return [];
    if (isOneOfOptions(text, outputOptions)) return nextAccesses('write');
    if (inputOptions.includes(option))
      return value === undefined ? nextAccesses('read') : optionValueAccesses(word, 'read');
    const isOutput = (options: readonly string[]) =>
      options.some((one) => one === option || (/^-\w$/.test(one) && text.startsWith(one)));
    if (isOutput(outputOptions)) return optionValueAccesses(word, 'write');
    if (roles.words === 'none') return [];
    const read = optionValueAccesses(word, 'read');
    if (alsoWrittenOptions.includes(text)) return [...read, ...nextAccesses('write')];
    return isOutput(alsoWrittenOptions) ? [...read, ...optionValueAccesses(word, 'write')] : read;
  });
}

/** The file in the same word as an option. */
function optionValueAccesses(word: ShellWord, use: FileAccess['use']): FileAccess[] {
  return [
    ...matchedAccesses(word, /^--?[\w-]+=[@<]?(.+)$/s, use),
    ...matchedAccesses(word, /^--?[\w-]+=[\w.-]+[=@][@<]?(.+)$/s, use),
    ...matchedAccesses(word, /^-[a-zA-Z]{1,6}[@<]?([/~.].*)$/s, use),
    ...keyValueAccesses(word),
  ];
}

/** `HEAD:file` is the content of a file in a commit. An option can name a file with settings. */
function revisionAccesses(name: string, words: readonly ShellWord[]): FileAccess[] {
  if (name !== 'git') return [];
  return words.flatMap((word) => matchedAccesses(word, /^[\w./@{}^~-]*:(?!\/\/)(.+)$/s, 'read'));
}

function matchedAccesses(
  word: ShellWord,
  pattern: RegExp,
  use: FileAccess['use'],
  isDirectory = false,
): FileAccess[] {
  const path = pattern.exec(word.pattern)?.[1];
  if (path === undefined) return [];
  const file = { ...createAccess(word, use), path };
  return isDirectory ? [file, { ...file, path: `${path}/${ANY_TEXT_WILDCARD}` }] : [file];
}

function createAccess({ pattern, start, end }: ShellWord, use: FileAccess['use']): FileAccess {
  return { use, path: isUnknownPattern(pattern) ? null : pattern, start, end };
}

/**
 * Returns the directories to which commands change, as with `cd` and `git -C`. The files of later commands may be
 * relative to them. A directory that is known only at run time is null.
 */
export function findDirectoryChanges({ commands }: ShellAnalysis): readonly (string | null)[] {
  return commands.flatMap(({ name, args }) => {
    if (name === 'env' || name === 'tar' || name === 'make' || name === 'git') return optionDirectories(args);
    if (name !== 'cd' && name !== 'pushd' && name !== 'chdir') return [];
    const target = args.find(({ text }) => text === null || !/^-./.test(text));
    if (target === undefined) return ['~'];
    return [target.text === '-' || isUnknownPattern(target.pattern) ? null : target.pattern];
  });
}

/** Parses `-C directory`. */
function optionDirectories(args: readonly ShellWord[]): (string | null)[] {
  return args.flatMap(({ text }, at) => {
    if (text === '-C' || text === '--directory' || text === '--chdir') return [args[at + 1]?.pattern ?? null];
    const [, directory] = /^(?:--directory|--chdir)=(.+)$/s.exec(text ?? '') ?? [];
    return directory === undefined ? [] : [directory];
  });
}
