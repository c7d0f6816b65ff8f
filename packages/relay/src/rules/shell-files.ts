import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import { ANY_TEXT, isBlank } from '../shell/glob.ts';
import { positionals } from '../shell/global-options.ts';
import type { Word } from '../shell/word.ts';
import { type FileRoles, fileRoles, type Role } from './file-roles.ts';

/** A file that a command would read or write. */
export interface FileUse {
  readonly use: 'read' | 'write';
  /** With the wildcards of glob.ts; null when nobody can tell anything of it. */
  readonly path: string | null;
  readonly start: number;
  readonly end: number;
}

/** Files that a text for a shell reads and writes: targets of redirects, and words of commands that may be files. */
export function filesOf({ commands }: ShellAnalysis): FileUse[] {
  return commands.flatMap((command) => [...redirected(command), ...named(command)]);
}

function redirected({ redirects }: SimpleCommand): FileUse[] {
  return redirects.flatMap(({ operator, target }) => {
    // `2>&1` names no file.
    if (/&$/.test(operator) && /^[\d-]+$/.test(target.text ?? '')) return [];
    if (operator === '<') return [useOf(target, 'read')];
    return operator === '<>' ? [useOf(target, 'read'), useOf(target, 'write')] : [useOf(target, 'write')];
  });
}

function named({ name, args, own }: SimpleCommand): FileUse[] {
  if (name === null) return [];
  const words = args.slice(0, own);
  const [first] = positionals(name, words);
  const subcommand = first?.word.text ?? null;
  const options = words.flatMap(({ text }) => (text?.startsWith('-') ? [text] : []));
  const roles = fileRoles(name, subcommand, options);
  const isSubcommand = roles !== fileRoles(name, null, []);
  const rest = isSubcommand && first ? words.slice(first.at + 1) : words;
  if (name === 'dd') return ddFiles(words);
  return [...operandFiles(rest, roles, options), ...optionFiles(rest, roles), ...revisions(name, rest)];
}

function ddFiles(words: readonly Word[]): FileUse[] {
  return words.flatMap((word) => [
    ...behind(word, /^if=(.+)$/s, 'read'),
    ...behind(word, /^of=(.+)$/s, 'write'),
  ]);
}

/** Words that are no options, nor the value of one that takes a text. */
function operandsOf(words: readonly Word[], { texts = [], writes = [] }: FileRoles): readonly Word[] {
  const operands: Word[] = [];
  let isOver = false;
  for (const [at, word] of words.entries()) {
    const { text } = word;
    const before = words[at - 1]?.text ?? '';
    if (!isOver && text === '--') isOver = true;
    else if (!isOver && text !== null && /^-./.test(text)) continue;
    else if (isOver || text?.startsWith('@') || !(texts.includes(before) || writes.includes(before)))
      operands.push(word);
  }
  return operands;
}

function operandFiles(words: readonly Word[], roles: FileRoles, options: readonly string[]): FileUse[] {
  const { withoutFirst, inPlace } = roles;
  const operands = operandsOf(words, roles);
  const hasFirst = roles.first !== undefined && !options.some((option) => withoutFirst?.test(option));
  const hasTarget = options.some((option) => roles.writes?.includes(option.replace(/=.*$/s, '')));
  const isInPlace = options.some((option) => inPlace?.test(option));
  return operands.flatMap((word, at) => {
    const isLast = at === operands.length - 1 && at > 0 && !hasTarget;
    const role: Role =
      at === 0 && hasFirst
        ? (roles.first ?? roles.words)
        : isLast && roles.last !== undefined
          ? roles.last
          : roles.words;
    return usesOf(word, isInPlace && role === 'read' ? 'both' : role);
  });
}

function usesOf(word: Word, role: Role): FileUse[] {
  if (role === 'none') return [];
  const read = [useOf(word, 'read'), ...below(word), ...partsOf(word)];
  if (role === 'read') return read;
  return role === 'write' ? [useOf(word, 'write')] : [...read, useOf(word, 'write')];
}

/** `type=bind,src=file,dst=/target` */
function listed(word: Word): FileUse[] {
  if (!/^[\w.=-]+=[^,]*,/.test(word.pattern)) return [];
  return word.pattern.split(',').flatMap((part) => {
    const path = /^[\w-]+=(.+)$/s.exec(part)?.[1];
    return path === undefined ? [] : [{ ...useOf(word, 'read'), path }];
  });
}

/** A directory may be read with all that stands in it. */
function below(word: Word): FileUse[] {
  if (!/[/~]|^\.\w/.test(word.pattern) || word.pattern.startsWith('-')) return [];
  return [{ ...useOf(word, 'read'), path: `${word.pattern.replace(/\/+$/, '')}/${ANY_TEXT}` }];
}

/** `name=file`, `name@file`, `file:/target` and `@file` name a file, too. */
function partsOf(word: Word): FileUse[] {
  return [
    ...behind(word, /^[\w.[\]-]*(?:=[@<]?|@)(.+)$/s, 'read'),
    ...behind(word, /=[@<]([^;]+);/s, 'read'),
    ...listed(word),
    ...behind(word, /^<(.+)$/s, 'read'),
    ...behind(word, /^([^:]+):\/[^/]/s, 'read', true),
    ...behind(word, /^(?:FILE|OPEN|GOPEN):([^,]+)/is, 'read'),
  ];
}

/** Files behind an option, in the same word or the next: `--file=x`, `-K x`, `-Tx`. */
function optionFiles(words: readonly Word[], roles: FileRoles): FileUse[] {
  const { texts = [], writes = [] } = roles;
  return words.flatMap((word, at) => {
    const { text } = word;
    if (text === null || !/^-./.test(text)) return [];
    const [option = ''] = text.split('=', 1);
    const use = writes.includes(option) ? 'write' : 'read';
    if (texts.includes(option)) return [];
    if (writes.includes(option) && option === text) {
      const next = words[at + 1];
      return next ? [useOf(next, use)] : [];
    }
    if (roles.words === 'none') return [];
    return [
      ...behind(word, /^--?[\w-]+=[@<]?(.+)$/s, use),
      ...behind(word, /^--?[\w-]+=[\w.-]+[=@][@<]?(.+)$/s, use),
      ...behind(word, /^-[a-zA-Z]{1,6}[@<]?([/~.].*)$/s, use),
      ...listed(word),
    ];
  });
}

/** `HEAD:file` is what a commit holds of it; a file of settings is given by an option. */
function revisions(name: string, words: readonly Word[]): FileUse[] {
  if (name !== 'git') return [];
  return words.flatMap((word) => behind(word, /^[\w./@{}^~-]*:(?!\/\/)(.+)$/s, 'read'));
}

function behind(word: Word, pattern: RegExp, use: FileUse['use'], isDirectory = false): FileUse[] {
  const path = pattern.exec(word.pattern)?.[1];
  if (path === undefined) return [];
  const file = { ...useOf(word, use), path };
  return isDirectory ? [file, { ...file, path: `${path}/${ANY_TEXT}` }] : [file];
}

function useOf({ pattern, start, end }: Word, use: FileUse['use']): FileUse {
  return { use, path: isBlank(pattern) ? null : pattern, start, end };
}

/** Directories that `cd` and the like change to within the text; the files of later commands may be below them. */
export function directoriesOf({ commands }: ShellAnalysis): readonly (string | null)[] {
  return commands.flatMap(({ name, args }) => {
    if (name === 'env' || name === 'tar' || name === 'make' || name === 'git') return optionDirectories(args);
    if (name !== 'cd' && name !== 'pushd' && name !== 'chdir') return [];
    const target = args.find(({ text }) => text === null || !/^-./.test(text));
    if (target === undefined) return ['~'];
    return [target.text === '-' || isBlank(target.pattern) ? null : target.pattern];
  });
}

/** `-C directory` */
function optionDirectories(args: readonly Word[]): (string | null)[] {
  return args.flatMap(({ text }, at) => {
    if (text === '-C' || text === '--directory' || text === '--chdir') return [args[at + 1]?.pattern ?? null];
    const [, directory] = /^(?:--directory|--chdir)=(.+)$/s.exec(text ?? '') ?? [];
    return directory === undefined ? [] : [directory];
  });
}
