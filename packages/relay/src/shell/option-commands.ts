import { isOptionAbbreviation } from './parse-options.ts';
import { MAX_CODE_CHARS } from './shell-parser.ts';
import { createLiteralWord, EMPTY_SHELL_WORD, type ShellWord } from './shell-word.ts';
import { type CommandInvocation, joinWordsAsCode, type NestedCommand } from './unwrap-command.ts';

/** An option whose value contains a command where it matches the expression. The last group is the command. */
interface ConditionalOption {
  readonly option: string;
  readonly command: RegExp;
}

/** Only an absolute path is a program. Other values are names of hosts. */
const SMTP_PROGRAM: ConditionalOption = { option: '--smtp-server', command: /^(\/.*)$/s };

/** Actions with a command: `reload(ls)`, `reload[ls]` and `reload:ls`. After a colon, the command is the rest. */
const FZF_ACTION =
  /(?:execute(?:-(?:silent|multi))?|become|reload(?:-sync)?|preview|transform(?:-[a-z-]+)?)(?::(.+)$|\((.+?)\)(?=[+,]|$)|\[(.+?)\](?=[+,]|$)|\{(.+?)\}(?=[+,]|$)|<(.+?)>(?=[+,]|$)|(?:([~!@#$%^&*;/|])(.+?)\6)(?=[+,]|$))/gs;

const GO_PROGRAM_OPTIONS = ['-exec', '-toolexec', '-vettool'];

/**
 * Options whose value is a command that another program runs. `?` marks options whose value is optional.
 * Such a value is always in the same word as the option.
 */
const COMMAND_OPTIONS: Readonly<Record<string, readonly (string | ConditionalOption)[]>> = {
  npm: ['--script-shell'],
  'npm run': ['--script-shell'],
  tar: [
    '--to-command',
    '-I',
    '--use-compress-program',
    '--rsh-command',
    { option: '--checkpoint-action', command: /^exec=(.*)$/s },
    '--info-script',
    '-F',
    '--new-volume-script',
  ],
  rsync: ['-e', '--rsh', '--rsync-path'],
  mosh: ['--ssh', '--server'],
  wget: ['--use-askpass'],
  'go run': GO_PROGRAM_OPTIONS,
  'go test': GO_PROGRAM_OPTIONS,
  'go build': GO_PROGRAM_OPTIONS,
  'go vet': GO_PROGRAM_OPTIONS,
  cargo: [{ option: '--config', command: /\.(?:runner|linker)\s*=\s*["'](.+)["']$/s }],
  'cargo watch': ['-s', '--shell'],
  'deno task': ['--eval'],
  zip: ['-TT', '--unzip-command'],
  man: ['-P', '--pager'],
  sort: ['--compress-program'],
  split: ['--filter'],
  rg: ['--pre', '--hostname-bin'],
  fzf: ['--preview', { option: '--bind', command: FZF_ACTION }],
  nodemon: ['-x', '--exec'],
  scp: ['-S'],
  sftp: ['-S'],
  tcpdump: ['-z'],
  'hg bisect': ['-c', '--command'],
  'sl bisect': ['-c', '--command'],
  'git archive': ['--exec'],
  mapfile: ['-C'],
  readarray: ['-C'],
  'git daemon': ['--access-hook'],
  'git fetch-pack': ['--upload-pack', '--exec'],
  'git grep': ['-O?', '--open-files-in-pager?'],
  'git rebase': ['-x', '--exec'],
  'git send-email': ['--sendmail-cmd', '--to-cmd', '--cc-cmd', '--header-cmd', SMTP_PROGRAM],
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

/**
 * Returns the commands that a program runs because its arguments name them, as in
 * `tar --to-command=…` and `find -exec …`. Wrappers such as `sudo` are not included.
 */
export function findCommandsInOptions(
  { name, args }: CommandInvocation,
  subcommand: string | null,
): NestedCommand[] {
  const key = subcommand === null ? name : `${name} ${subcommand}`;
  const options = [...commandOptions(name), ...(key === name ? [] : commandOptions(key))];
  const inner: NestedCommand[] = [];
  if (options.length > 0)
    inner.push(...findOptionValues(name === 'tar' ? expandTarLetters(args) : args, options));
  if (name === 'find' || name === 'fd' || name === 'fdfind') inner.push(...findExecCommands(args));
  if (Object.hasOwn(FRONT_ENDS, name))
    inner.push({
      kind: 'words',
      words: [createLiteralWord(FRONT_ENDS[name] ?? '', EMPTY_SHELL_WORD), ...args],
    });
  if (name === 'tmux') inner.push(...findTmuxCommands(args));
  if (name === 'jj') inner.push(...findJujutsuSettings(args));
  if (name === 'cmd') inner.push(...findWindowsCommand(args));
  if (/^(?:ssh|scp|sftp|rsync|mosh|autossh)$/.test(name)) inner.push(...findProxyCommands(args));
  return inner;
}

function findOptionValues(
  args: readonly ShellWord[],
  options: readonly (string | ConditionalOption)[],
): NestedCommand[] {
  return args.flatMap((word, at) => optionCommands(word, args[at + 1], options));
}

/** Expands the first word of `tar cIf program file`: the values of its letters follow in the same order. */
function expandTarLetters(args: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = args;
  if (!first?.text || !/^[a-zA-Z]+$/.test(first.text)) return args;
  const options = [...first.text].flatMap((letter): readonly ShellWord[] => {
    const option = createLiteralWord(`-${letter}`, first);
    return 'bCfFgHIKLNTVX'.includes(letter) ? [option, ...rest.splice(0, 1)] : [option];
  });
  return [...options, ...rest];
}

function commandOptions(key: string): readonly (string | ConditionalOption)[] {
  return (Object.hasOwn(COMMAND_OPTIONS, key) ? COMMAND_OPTIONS[key] : undefined) ?? [];
}

function optionCommands(
  word: ShellWord,
  next: ShellWord | undefined,
  options: readonly (string | ConditionalOption)[],
): NestedCommand[] {
  const { text } = word;
  if (text === null) return [];
  for (const entry of options) {
    const { option, command } = typeof entry === 'string' ? { option: entry, command: /^(.*)$/s } : entry;
    const isOptional = option.endsWith('?');
    const name = isOptional ? option.slice(0, -1) : option;
    const attached = attachedValue(text, name);
    const isNext = attached === null && !isOptional && isSameOption(text, name);
    const given = attached === null ? { word: next, text: next?.text ?? null } : { word, text: attached };
    if (!given.word || (attached === null && !isNext)) continue;
    const codes = given.text === null ? [null] : findCodes(given.text, command);
    const { word: place } = given;
    if (codes.length > 0) return codes.map((code) => ({ kind: 'code', word: place, text: code }));
  }
  return [];
}

function findCodes(text: string, command: RegExp): readonly string[] {
  // The analysis of such code reports that it is too long.
  if (text.length > MAX_CODE_CHARS) return [text];
  const found = command.global ? [...text.matchAll(command)] : [command.exec(text) ?? []];
  return found.flatMap(([, ...groups]) => groups.findLast((group) => group !== undefined) ?? []);
}

/** Matches `--exec=value`, an abbreviation of it, `-xvalue`, and a group of short options such as `-axvalue`. */
function attachedValue(text: string, option: string): string | null {
  if (isShortOption(option)) {
    const [, value] = new RegExp(`^-[a-zA-Z0-9]*?${option.slice(1)}(.+)$`, 's').exec(text) ?? [];
    return value ?? null;
  }
  const [, name = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return value !== undefined && isSameOption(name, option) ? value : null;
}

/**
 * Returns whether `text` is the option, an abbreviation of it such as `--upload-pa`, or a group of short options
 * that ends with it.
 */
function isSameOption(text: string, option: string): boolean {
  if (text === option) return true;
  if (isShortOption(option)) return /^-[a-zA-Z]+$/.test(text) && text.endsWith(option.slice(1));
  return !WHOLE_OPTIONS.has(text) && isOptionAbbreviation(text, option);
}

function isShortOption(option: string): boolean {
  return /^-[a-zA-Z]{1,2}$/.test(option);
}

/** Options whose names are also the start of an option with a command. */
const WHOLE_OPTIONS = new Set(['--to', '--cc', '--checkpoint']);

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

/**
 * Matches the switch after which `cmd` runs the rest of the line, with switches before it and a command after it, as
 * in `/s/c` and `/cdir`. Shells on Windows double the slash.
 */
const WINDOWS_RUN_SWITCH = /^(?:\/{1,2}(?![ckr])[a-z?](?::[^/]*)?)*\/{1,2}[ckr](.*)$/is;

function findWindowsCommand(args: readonly ShellWord[]): NestedCommand[] {
  const at = args.findIndex(({ text }) => WINDOWS_RUN_SWITCH.test(text ?? ''));
  const word = args[at];
  const [, attached = ''] = WINDOWS_RUN_SWITCH.exec(word?.text ?? '') ?? [];
  const words = args.slice(at + 1);
  if (word && attached !== '') words.unshift(createLiteralWord(attached, word));
  return at === -1 || words.length === 0 ? [] : [joinWordsAsCode(words)];
}

/** Commands of tmux that run something, or that can contain such a command. */
const TMUX_COMMAND =
  /^(?:new|neww|splitw|respawnp|respawnw|run|if|popup|pipep|send|bind|confirm|new-session|new-window|split-window|respawn-pane|respawn-window|run-shell|if-shell|display-popup|pipe-pane|send-keys|bind-key|confirm-before|command-prompt|set-hook|source-file)$/;
/** Options of tmux whose value is a shell command. */
const TMUX_SHELL_OPTION = /^(?:default-command|default-shell|copy-command|lock-command|editor)$/;

/** Finds commands inside the commands of tmux, as in `tmux bind-key x run-shell 'rm x'`, and in `#(rm x)`. */
function findTmuxCommands(args: readonly ShellWord[]): NestedCommand[] {
  const line = args.map(({ text }) => text ?? '').join(' ');
  // The analysis of such code reports that it is too long.
  if (line.length > MAX_CODE_CHARS) return [{ kind: 'code', word: EMPTY_SHELL_WORD, text: line }];
  return args.flatMap((word, at): NestedCommand[] => {
    const text = word.text ?? '';
    const [verb = ''] = text.split(/\s/, 1);
    const tmux = createLiteralWord('tmux', word);
    const inner: NestedCommand[] = [...text.matchAll(/#\(([^)]+)\)/g)].map(([, code = '']) => ({
      kind: 'code',
      word,
      text: code,
    }));
    const next = args[at + 1];
    if (TMUX_SHELL_OPTION.test(text) && next) inner.push({ kind: 'code', word: next, text: next.text });
    if (!TMUX_COMMAND.test(verb)) return inner;
    if (verb !== text) inner.push({ kind: 'code', word, text: `tmux ${text}` });
    else if (at > 0) inner.push({ kind: 'words', words: [tmux, ...args.slice(at)] });
    return inner;
  });
}

/** Finds the commands in settings of Jujutsu: an alias such as `["util", "exec", "--", "rm"]`, or a tool. */
function findJujutsuSettings(args: readonly ShellWord[]): NestedCommand[] {
  return args.flatMap((word): NestedCommand[] => {
    const [, list] = /^(?:[\w.-]+\s*=\s*)?\[([^[\]]+)\]$/.exec(word.text ?? '') ?? [];
    if (list === undefined) return [];
    const parts = [...list.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) =>
      createLiteralWord(one ?? other ?? '', word),
    );
    if (parts.length === 0) return [];
    return [
      { kind: 'words', words: parts },
      { kind: 'words', words: [createLiteralWord('jj', word), ...parts] },
    ];
  });
}
