import type { ShellWord } from './shell-word.ts';
import type { CommandInvocation, NestedCommand, UnwrappedCommand } from './unwrap-command.ts';

/** Options of interpreters whose value is code in a language that is not parsed. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  python: /^-[a-zA-Z]*c/,
  pypy: /^-[a-zA-Z]*c/,
  perl: /^-(?!M)[a-zA-Z0-9]*[eE]/,
  ruby: /^-(?![rI])[a-zA-Z]*e/,
  node: /^(?:-[a-z]*[ep]|--(?:eval|print)\b)/,
  nodejs: /^(?:-[a-z]*[ep]|--(?:eval|print)\b)/,
  bun: /^(?:-[ep]|--(?:eval|print)\b)/,
  tsx: /^(?:-[ep]|--(?:eval|print)\b)/,
  php: /^(?:-[rBRE]|--(?:run|process-code)\b)/,
  lua: /^-e/,
  luajit: /^-e/,
  rscript: /^-e/,
  r: /^-e/,
  julia: /^(?:-[eE]|--(?:eval|print)\b)/,
  elixir: /^(?:-e|--(?:eval|rpc-eval)\b)/,
  erl: /^-eval/,
  ghc: /^-e/,
  groovy: /^-e/,
  scala: /^-e/,
  osascript: /^-e/,
  emacs: /^--?(?:eval|batch|load|funcall)\b/,
  powershell: /^-(?!f(?:i(?:l(?:e)?)?)?$)/i,
  pwsh: /^-(?!f(?:i(?:l(?:e)?)?)?$)/i,
};

/** Interpreters that read code from their input if they have no file argument. */
const READS_INPUT = new Set([...Object.keys(CODE_OPTIONS), 'deno']);
READS_INPUT.delete('emacs');
READS_INPUT.delete('erl');

const AWK_NAMES = new Set(['awk', 'gawk', 'mawk', 'nawk']);
/** Matches awk programs that run commands or read their output. */
const AWK_RUNS = /\bsystem\s*\(|\|\s*&?\s*"|"\s*\|\s*&?\s*getline|\bprint[^;\n]*\|/;
/** Matches sed scripts with the command or flag `e`. */
const SED_RUNS = /(?:^|[;{}\d$/\n])\s*e(?:\s|$)|\/[gpiImMw\d]*e[gpiImM\d]*\s*(?:$|[;}\n])/;

const UNANALYZED_CODE = 'it runs code in a language that cannot be analyzed';

/** Determines what an interpreter for another language runs. Null for any other command. */
export function analyzeInterpreter(invocation: CommandInvocation): UnwrappedCommand | null {
  const { args } = invocation;
  // `python3.12` is `python`.
  const name = /^(?:python|pypy|perl|ruby|lua|php)(?=[\d.]*$)/.exec(invocation.name)?.[0] ?? invocation.name;
  if (AWK_NAMES.has(name)) return analyzeAwkProgram(args);
  if (name === 'sed' || name === 'gsed') return analyzeSedScript(args);
  if (name === 'deno' && args[0]?.text === 'eval') return createCodeResult(name, args.slice(1, 2));
  if (name === 'source' || name === '.') return analyzeSource(args);
  const options = Object.hasOwn(CODE_OPTIONS, name) ? CODE_OPTIONS[name] : undefined;
  if (options === undefined && !READS_INPUT.has(name)) return null;
  for (const [at, word] of args.entries()) {
    const { text } = word;
    if (text !== null && options?.test(text)) return createCodeResult(name, codeWords(text, at, args));
    // The first argument that is not an option is the program. Later arguments belong to the program.
    if (text === null || !text.startsWith('-')) break;
    if (VALUE_OPTIONS.test(text)) return optionsWithValues(name, args, options);
  }
  return READS_INPUT.has(name) ? createInputResult(args) : null;
}

/** Options of interpreters that take the next word as their value. */
const VALUE_OPTIONS = /^(?:-[WXrIMSCdt]|--(?:require|import|loader|input-type|env-file|conditions))$/;

function optionsWithValues(
  name: string,
  args: readonly ShellWord[],
  options: RegExp | undefined,
): UnwrappedCommand | null {
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.text ?? null;
    if (text !== null && options?.test(text)) return createCodeResult(name, codeWords(text, at, args));
    if (text === null || !text.startsWith('-')) break;
    if (VALUE_OPTIONS.test(text)) at += 1;
  }
  return READS_INPUT.has(name) ? createInputResult(args) : null;
}

/** Languages whose code is not analyzed. */
const UNREAD_LANGUAGES = /^(?:powershell|pwsh|erl|ghc|elixir|scala)$/;

/** The code of an option: the next word, or the text after `=` or after the option letter. */
function codeWords(option: string, at: number, args: readonly ShellWord[]): readonly ShellWord[] {
  const [, attached] =
    /^--[\w-]+=(.+)$/s.exec(option) ?? /^-[a-zA-Z0-9]*[ceEpr](.*\W.*)$/s.exec(option) ?? [];
  const word = attached === undefined ? args[at + 1] : args[at];
  if (!word) return [];
  return [attached === undefined ? word : { ...word, text: attached }];
}

function createCodeResult(name: string, words: readonly ShellWord[]): UnwrappedCommand {
  const isUnread = words.length === 0 || UNREAD_LANGUAGES.test(name);
  return {
    ...NO_COMMANDS,
    traits: ['runs_code'],
    unclearReasons: isUnread ? [UNANALYZED_CODE] : [],
    foreign: isUnread ? [] : words,
  };
}

/** Analyzes an awk program. Its strings may be commands and files. */
function analyzeAwkProgram(args: readonly ShellWord[]): UnwrappedCommand | null {
  const program = args.find(
    ({ text }, at) => text === null || (!/^-./.test(text) && !/^-[vFi]$/.test(args[at - 1]?.text ?? '')),
  );
  if (program?.text == null) return null;
  if (AWK_RUNS.test(program.text))
    return {
      ...NO_COMMANDS,
      nested: awkCommands(program),
      traits: ['runs_code'],
      foreign: [program],
      unclearReasons: findAwkUnclear(program.text),
    };
  return /getline/.test(program.text) ? { ...NO_COMMANDS, foreign: [program] } : null;
}

/** Finds literals that awk passes to a shell. */
function awkCommands(program: ShellWord): NestedCommand[] {
  const commands = /\bsystem\s*\(\s*"([^"]*)"|"([^"]*)"\s*\|\s*&?\s*getline|\|\s*&?\s*"([^"]*)"/g;
  return [...(program.text ?? '').matchAll(commands)].map(
    ([, one, two, three]): NestedCommand => ({
      kind: 'code',
      word: program,
      text: one ?? two ?? three ?? '',
    }),
  );
}

/** Finds commands that awk builds from fields or variables. */
function findAwkUnclear(program: string): string[] {
  const isLiteral = /\bsystem\s*\(\s*"[^"]*"\s*\)|"[^"]*"\s*\|\s*&?\s*getline|\|\s*&?\s*"[^"]*"/.test(
    program,
  );
  return isLiteral ? [] : [UNANALYZED_CODE];
}

/** Analyzes a sed script: commands that run or read something. */
function analyzeSedScript(args: readonly ShellWord[]): UnwrappedCommand | null {
  const reads = args.flatMap(({ text }) =>
    [...(text ?? '').matchAll(/(?:^|[;{}\d$/\n])\s*[rR]\s+([^;\n}]+)/g)].map(([, file = '']) => file.trim()),
  );
  const script = args.find(({ text }) => text !== null && SED_RUNS.test(text));
  if (!script?.text) return reads.length === 0 ? null : { ...NO_COMMANDS, reads };
  const commands = [...script.text.matchAll(/(?:^|[;{}\d$/\n])\s*e\s+([^;\n}]+)/g)].map(
    ([, one = '']) => one,
  );
  const inner = commands.map((text): NestedCommand => ({ kind: 'code', word: script, text }));
  const isEmpty = /^\d*e\s*$/.test(script.text);
  return {
    ...NO_COMMANDS,
    nested: inner,
    reads,
    traits: ['runs_code'],
    unclearReasons: inner.length > 0 || isEmpty ? [] : [UNANALYZED_CODE],
  };
}

const NO_COMMANDS: UnwrappedCommand = { nested: [], traits: [], unclearReasons: [], readsInput: false };

function createInputResult(args: readonly ShellWord[]): UnwrappedCommand {
  const file = args.find(({ text }) => text === null || text === '-' || !text.startsWith('-'));
  const readsInput = file === undefined || file.text === '-' || file.text === '/dev/stdin';
  return { ...NO_COMMANDS, readsInput, ...(file && !readsInput && { file }) };
}

function analyzeSource(args: readonly ShellWord[]): UnwrappedCommand {
  const [file] = args;
  return { ...NO_COMMANDS, readsInput: file?.text === '/dev/stdin', ...(file && { file }) };
}

/** Options whose value is a command that another program runs. */
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
  'git rebase': ['-x', '--exec'],
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
  for (const option of options) {
    if (text === option && next) return { kind: 'code', word: next, text: next.text };
    if (text.startsWith(`${option}=`)) return { kind: 'code', word, text: text.slice(option.length + 1) };
  }
  return null;
}

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
