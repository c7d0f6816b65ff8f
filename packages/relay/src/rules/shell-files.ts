import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import { ANY_TEXT_WILDCARD, isUnknownPattern } from '../shell/glob.ts';
import { findPositionalArguments } from '../shell/positional-arguments.ts';
import type { ShellWord } from '../shell/shell-word.ts';
import { type CommandFileRoles, type FileRole, resolveFileRoles } from './file-roles.ts';

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
export function findFileAccesses({ commands }: ShellAnalysis): FileAccess[] {
  return commands.flatMap((command) => [...redirectAccesses(command), ...argumentAccesses(command)]);
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

function argumentAccesses({ name, args, own }: SimpleCommand): FileAccess[] {
  if (name === null) return [];
  const words = args.slice(0, own);
  const [first] = findPositionalArguments(name, words);
  const subcommand = first?.word.text ?? null;
  const options = words.flatMap(({ text }) => (text?.startsWith('-') ? [text] : []));
  const roles = resolveFileRoles(name, subcommand, options);
  const isSubcommand = roles !== resolveFileRoles(name, null, []);
  const rest = isSubcommand && first ? words.slice(first.at + 1) : words;
  if (name === 'dd') return ddAccesses(words);
  return [
    ...operandAccesses(rest, roles, options),
    ...optionAccesses(rest, roles),
    ...revisionAccesses(name, rest),
  ];
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
      !(textOptions.includes(before) || outputOptions.includes(before))
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
  const hasTarget = options.some((option) => roles.outputOptions?.includes(option.replace(/=.*$/s, '')));
  const isInPlace = options.some((option) => inPlaceOptions?.test(option));
  return operands.flatMap((word, at) => {
    const isLast = at === operands.length - 1 && at > 0 && !hasTarget;
    const role: FileRole =
      at === 0 && hasFirst
        ? (roles.first ?? roles.words)
        : isLast && roles.last !== undefined
          ? roles.last
          : roles.words;
    return accessesForRole(word, isInPlace && role === 'read' ? 'both' : role);
  });
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

/** A command that reads a directory may read all of its content. */
function directoryContentAccess(word: ShellWord): FileAccess[] {
  if (!/[/~]|^\.\w/.test(word.pattern) || word.pattern.startsWith('-')) return [];
  return [
    { ...createAccess(word, 'read'), path: `${word.pattern.replace(/\/+$/, '')}/${ANY_TEXT_WILDCARD}` },
  ];
}

/** `name=file`, `name@file`, `file:/target` and `@file` also name a file. */
function embeddedAccesses(word: ShellWord): FileAccess[] {
  return [
    ...matchedAccesses(word, /^[\w.[\]-]*(?:=[@<]?|@)(.+)$/s, 'read'),
    ...matchedAccesses(word, /=[@<]([^;]+);/s, 'read'),
    ...keyValueAccesses(word),
    ...matchedAccesses(word, /^<(.+)$/s, 'read'),
    ...matchedAccesses(word, /^([^:]+):\/[^/]/s, 'read', true),
    ...matchedAccesses(word, /^(?:FILE|OPEN|GOPEN):([^,]+)/is, 'read'),
  ];
}

/** Files in options, in the same word or the next: `--file=x`, `-K x`, `-Tx`. */
function optionAccesses(words: readonly ShellWord[], roles: CommandFileRoles): FileAccess[] {
  const { textOptions = [], outputOptions = [] } = roles;
  return words.flatMap((word, at) => {
    const { text } = word;
    if (text === null || !/^-./.test(text)) return [];
    const [option = ''] = text.split('=', 1);
    const use = outputOptions.includes(option) ? 'write' : 'read';
    if (textOptions.includes(option)) return [];
    if (outputOptions.includes(option) && option === text) {
      const next = words[at + 1];
      return next ? [createAccess(next, use)] : [];
    }
    if (roles.words === 'none') return [];
    return [
      ...matchedAccesses(word, /^--?[\w-]+=[@<]?(.+)$/s, use),
      ...matchedAccesses(word, /^--?[\w-]+=[\w.-]+[=@][@<]?(.+)$/s, use),
      ...matchedAccesses(word, /^-[a-zA-Z]{1,6}[@<]?([/~.].*)$/s, use),
      ...keyValueAccesses(word),
    ];
  });
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
