import { createLiteralWord, EMPTY_SHELL_WORD, type ShellWord } from './shell-word.ts';
import { type CommandInvocation, joinAsCode, type NestedCommand } from './unwrap-command.ts';

/**
 * Options whose value is a command that another program runs. `?` marks options whose value is optional.
 * Such a value is always in the same word as the option.
 */
const COMMAND_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  npm: ['--script-shell'],
  'npm run': ['--script-shell'],
  tar: [
    '--to-command',
    '-I',
    '--use-compress-program',
    '--rsh-command',
    '--checkpoint-action=exec',
    '--info-script',
    '-F',
    '--new-volume-script',
  ],
  rsync: ['-e', '--rsh'],
  zip: ['-TT', '--unzip-command'],
  man: ['-P', '--pager'],
  sort: ['--compress-program'],
  split: ['--filter'],
  rg: ['--pre'],
  fzf: ['--preview'],
  nodemon: ['-x', '--exec'],
  scp: ['-S'],
  sftp: ['-S'],
  tcpdump: ['-z'],
  'git archive': ['--exec'],
  'git daemon': ['--access-hook'],
  'git fetch-pack': ['--upload-pack', '--exec'],
  'git grep': ['-O?', '--open-files-in-pager?'],
  'git rebase': ['-x', '--exec'],
  'git send-email': ['--sendmail-cmd', '--to-cmd', '--cc-cmd', '--header-cmd', '--smtp-server'],
  'git shell': ['-c'],
  'git svn': ['--authors-prog'],
  'git difftool': ['-x', '--extcmd'],
  'git clone': ['-u', '--upload-pack'],
  'git fetch': ['--upload-pack'],
  'git pull': ['--upload-pack'],
  'git push': ['--receive-pack', '--exec'],
  'git ls-remote': ['--upload-pack', '--exec'],
  'git filter-branch': [
    '--env-filter',
    '--tree-filter',
    '--index-filter',
    '--parent-filter',
    '--msg-filter',
    '--commit-filter',
  ],
};

/** Returns the commands in the options of programs that are not wrappers. */
export function findOptionCommands(
  { name, args }: CommandInvocation,
  subcommand: string | null,
): NestedCommand[] {
  const key = subcommand === null ? name : `${name} ${subcommand}`;
  const options = [...commandOptions(name), ...(key === name ? [] : commandOptions(key))];
  const inner: NestedCommand[] = [];
  if (options.length > 0)
    for (const [at, word] of args.entries()) {
      const value = optionCommand(word, args[at + 1], options);
      if (value) inner.push(value);
    }
  if (name === 'find' || name === 'fd' || name === 'fdfind') inner.push(...findExecCommands(args));
  if (Object.hasOwn(FRONT_ENDS, name))
    inner.push({
      kind: 'words',
      words: [createLiteralWord(FRONT_ENDS[name] ?? '', EMPTY_SHELL_WORD), ...args],
    });
  if (name === 'cmd') inner.push(...findWindowsCommand(args));
  if (/^(?:ssh|scp|sftp|rsync|mosh|autossh)$/.test(name)) inner.push(...findProxyCommands(args));
  return inner;
}

function commandOptions(key: string): readonly string[] {
  return (Object.hasOwn(COMMAND_OPTIONS, key) ? COMMAND_OPTIONS[key] : undefined) ?? [];
}

function optionCommand(
  word: ShellWord,
  next: ShellWord | undefined,
  options: readonly string[],
): NestedCommand | null {
  const { text } = word;
  if (text === null) return null;
  for (const entry of options) {
    const isOptional = entry.endsWith('?');
    const option = isOptional ? entry.slice(0, -1) : entry;
    const attached = attachedValue(text, option);
    if (attached !== null) return { kind: 'code', word, text: attached };
    if (!isOptional && next && isSameOption(text, option))
      return { kind: 'code', word: next, text: next.text };
  }
  return null;
}

/** Matches `--exec=value` and `-xvalue`. */
function attachedValue(text: string, option: string): string | null {
  if (isShortOption(option)) return text.startsWith(option) && text.length > 2 ? text.slice(2) : null;
  const [, name = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (value !== undefined && isSameOption(name, option)) return value;
  return text.startsWith(`${option}=`) ? text.slice(option.length + 1) : null;
}

/**
 * Returns whether `text` is the option, an unambiguous prefix of it such as `--upload-pa`, or a group of short options
 * that ends with it.
 */
function isSameOption(text: string, option: string): boolean {
  if (text === option) return true;
  if (isShortOption(option)) return /^-[a-zA-Z]+$/.test(text) && text.endsWith(option.charAt(1));
  return text.length >= MIN_OPTION_START && option.startsWith('--') && option.startsWith(text);
}

function isShortOption(option: string): boolean {
  return /^-[a-zA-Z]$/.test(option);
}

/** Programs reject shorter starts of long options, because they are ambiguous. */
const MIN_OPTION_START = '--exe'.length;

const FIND_EXEC_OPTIONS = new Set([
  '-exec',
  '-execdir',
  '-ok',
  '-okdir',
  '-x',
  '-X',
  '--exec',
  '--exec-batch',
]);

/** Finds the command of `find -exec command ;` and of similar options of `fd`. */
function findExecCommands(args: readonly ShellWord[]): NestedCommand[] {
  const inner: NestedCommand[] = [];
  for (const [at, { text }] of args.entries()) {
    if (text === null || !FIND_EXEC_OPTIONS.has(text)) continue;
    const end = args.findIndex((word, n) => n > at && (word.text === ';' || word.text === '+'));
    const words = args.slice(at + 1, end === -1 ? undefined : end);
    if (words.length > 0) inner.push({ kind: 'words', words });
  }
  return inner;
}

function findProxyCommands(args: readonly ShellWord[]): NestedCommand[] {
  return args.flatMap((word) => {
    const [, command] =
      /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.+)$/is.exec(word.text ?? '') ?? [];
    return command === undefined ? [] : ([{ kind: 'code', word, text: command }] satisfies NestedCommand[]);
  });
}

/** Programs that pass their arguments to another program. */
const FRONT_ENDS: Readonly<Record<string, string>> = {
  hub: 'git',
  lab: 'git',
  yadm: 'git',
  kubecolor: 'kubectl',
};

/** `cmd /c` and `cmd /k` run the rest of the line. Shells on Windows double the slash. */
function findWindowsCommand(args: readonly ShellWord[]): NestedCommand[] {
  const at = args.findIndex(({ text }) => /^\/{1,2}[ckr]$/i.test(text ?? ''));
  return at === -1 || at === args.length - 1 ? [] : [joinAsCode(args.slice(at + 1))];
}
