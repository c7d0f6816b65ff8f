import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import type { Word } from '../shell/word.ts';

/** A file that a command would read or write. */
export interface FileUse {
  readonly use: 'read' | 'write';
  /** Null when nobody can tell which. */
  readonly path: string | null;
  /** What the path begins with for certain. */
  readonly prefix: string;
  readonly start: number;
  readonly end: number;
}

/** What commands write to: all words that are no options, the last of them, or what follows an option. */
const WRITES: Readonly<Record<string, 'all' | 'last' | readonly string[]>> = {
  tee: 'all',
  rm: 'all',
  rmdir: 'all',
  unlink: 'all',
  shred: 'all',
  truncate: 'all',
  touch: 'all',
  mkdir: 'all',
  chmod: 'all',
  chown: 'all',
  chattr: 'all',
  sponge: 'all',
  mv: 'all',
  cp: 'last',
  install: 'last',
  ln: 'all',
  rsync: 'last',
  scp: 'last',
  ed: 'all',
  ex: 'all',
  vi: 'all',
  vim: 'all',
  nvim: 'all',
  nano: 'all',
  emacs: 'all',
  code: 'all',
  patch: 'all',
  curl: ['-o', '--output'],
  wget: ['-O', '--output-document', '-o'],
  sort: ['-o', '--output'],
  tar: ['-C', '--directory', '-f', '--file'],
  unzip: ['-d'],
  openssl: ['-out'],
  'ssh-keygen': ['-f'],
};

const TARGET_DIRECTORY = /^(?:-t|--target-directory)$/;

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

function named({ name, args }: SimpleCommand): FileUse[] {
  if (name === null) return [];
  const uses: FileUse[] = [];
  const writes = Object.hasOwn(WRITES, name) ? WRITES[name] : undefined;
  const plain = args.filter(({ text }) => text === null || !/^[-+]./.test(text));
  for (const word of args) uses.push(...readsOf(word));
  if (writes === 'all') uses.push(...plain.map((word) => useOf(word, 'write')));
  else if (writes === 'last') uses.push(...plain.slice(-1).map((word) => useOf(word, 'write')));
  else if (writes) uses.push(...valuesOf(args, (text) => writes.includes(text)));
  if (name === 'dd') uses.push(...args.flatMap((word) => assigned(word, /^of=(.+)$/s, 'write')));
  if (name === 'sed' || name === 'perl' || name === 'gsed')
    if (args.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text ?? '')))
      uses.push(...plain.map((word) => useOf(word, 'write')));
  if (writes === 'last') uses.push(...valuesOf(args, (text) => TARGET_DIRECTORY.test(text)));
  return uses;
}

/** Any word may name a file to read: as it stands, behind `=` or `@`, or behind a short option. */
function readsOf(word: Word): FileUse[] {
  const { text } = word;
  if (text === null || !text.startsWith('-'))
    return [useOf(word, 'read'), ...assigned(word, /^[\w.-]*(?:=[@<]?|@)(.+)$/s, 'read')];
  return [...assigned(word, /^--?[\w-]+=@?(.+)$/s, 'read'), ...assigned(word, /^-\w@?([/~.].*)$/s, 'read')];
}

function assigned(word: Word, pattern: RegExp, use: FileUse['use']): FileUse[] {
  const path = pattern.exec(word.text ?? '')?.[1];
  return path === undefined ? [] : [{ ...useOf(word, use), path, prefix: path }];
}

function valuesOf(args: readonly Word[], isOption: (text: string) => boolean): FileUse[] {
  return args.flatMap((word, at) => {
    const [option = '', ...value] = (word.text ?? '').split('=');
    if (!isOption(option)) return [];
    if (value.length > 0) return [{ ...useOf(word, 'write'), path: value.join('='), prefix: '' }];
    const next = args[at + 1];
    return next ? [useOf(next, 'write')] : [];
  });
}

function useOf({ text, prefix, start, end }: Word, use: FileUse['use']): FileUse {
  return { use, path: text, prefix, start, end };
}

/** Directories that `cd` and the like change to within the text; the files of later commands may be below them. */
export function directoriesOf({ commands }: ShellAnalysis): readonly (string | null)[] {
  return commands
    .filter(({ name }) => name === 'cd' || name === 'pushd' || name === 'chdir')
    .map(({ args }) => {
      const target = args.find(({ text }) => text === null || !/^-./.test(text));
      return target === undefined ? '~' : target.text === '-' ? null : target.text;
    });
}
