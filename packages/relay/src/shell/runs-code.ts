import type { Inner, Invocation, Unwrapped } from './unwrap.ts';
import type { Word } from './word.ts';

/** Options after which an interpreter finds code in a language that is not read here. */
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

/** Interpreters that read code from their input when they are given no file. */
const READS_INPUT = new Set([...Object.keys(CODE_OPTIONS), 'deno']);
READS_INPUT.delete('emacs');
READS_INPUT.delete('erl');

const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk']);
/** An awk program that starts others, or reads what they print. */
const AWK_RUNS = /\bsystem\s*\(|\|\s*&?\s*"|"\s*\|\s*&?\s*getline|\bprint[^;\n]*\|/;
/** A sed script with the command or the flag `e`. */
const SED_RUNS = /(?:^|[;{}\d$/\n])\s*e(?:\s|$)|\/[gpiImMw\d]*e[gpiImM\d]*\s*(?:$|[;}\n])/;

const CODE = 'code in a language that is not analysed';

/** What an interpreter of another language runs; null for any other command. */
export function interpreted(invocation: Invocation): Unwrapped | null {
  const { args } = invocation;
  // `python3.12` is `python`.
  const name = /^(?:python|pypy|perl|ruby|lua|php)(?=[\d.]*$)/.exec(invocation.name)?.[0] ?? invocation.name;
  if (AWKS.has(name)) return awkProgram(args);
  if (name === 'sed' || name === 'gsed') return sedScript(args);
  if (name === 'deno' && args[0]?.text === 'eval') return code(name, args.slice(1, 2));
  if (name === 'source' || name === '.') return sourced(args);
  const options = Object.hasOwn(CODE_OPTIONS, name) ? CODE_OPTIONS[name] : undefined;
  if (options === undefined && !READS_INPUT.has(name)) return null;
  for (const [at, word] of args.entries()) {
    const { text } = word;
    if (text !== null && options?.test(text)) return code(name, codeWords(text, at, args));
    // The first word that is no option is the program; what follows is for it.
    if (text === null || !text.startsWith('-')) break;
    if (VALUE_OPTIONS.test(text)) return optionsWithValues(name, args, options);
  }
  return READS_INPUT.has(name) ? input(args) : null;
}

/** Options of interpreters that take their value from the next word. */
const VALUE_OPTIONS = /^(?:-[WXrIMSCdt]|--(?:require|import|loader|input-type|env-file|conditions))$/;

function optionsWithValues(
  name: string,
  args: readonly Word[],
  options: RegExp | undefined,
): Unwrapped | null {
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.text ?? null;
    if (text !== null && options?.test(text)) return code(name, codeWords(text, at, args));
    if (text === null || !text.startsWith('-')) break;
    if (VALUE_OPTIONS.test(text)) at += 1;
  }
  return READS_INPUT.has(name) ? input(args) : null;
}

/** Languages whose code is not looked at. */
const UNREAD = /^(?:powershell|pwsh|erl|ghc|elixir|scala)$/;

/** The code behind an option: in the next word, or behind `=` or the letter of the option. */
function codeWords(option: string, at: number, args: readonly Word[]): readonly Word[] {
  const [, attached] =
    /^--[\w-]+=(.+)$/s.exec(option) ?? /^-[a-zA-Z0-9]*[ceEpr](.*\W.*)$/s.exec(option) ?? [];
  const word = attached === undefined ? args[at + 1] : args[at];
  if (!word) return [];
  return [attached === undefined ? word : { ...word, text: attached }];
}

function code(name: string, words: readonly Word[]): Unwrapped {
  const isUnread = words.length === 0 || UNREAD.test(name);
  return {
    ...NOTHING,
    traits: ['runs_code'],
    doubts: isUnread ? [CODE] : [],
    foreign: isUnread ? [] : words,
  };
}

/** A program of awk: strings in it may be commands and files. */
function awkProgram(args: readonly Word[]): Unwrapped | null {
  const program = args.find(
    ({ text }, at) => text === null || (!/^-./.test(text) && !/^-[vFi]$/.test(args[at - 1]?.text ?? '')),
  );
  if (program?.text == null) return null;
  if (AWK_RUNS.test(program.text))
    return {
      ...NOTHING,
      inner: awkCommands(program),
      traits: ['runs_code'],
      foreign: [program],
      doubts: awkDoubts(program.text),
    };
  return /getline/.test(program.text) ? { ...NOTHING, foreign: [program] } : null;
}

/** Literals that awk hands to a shell. */
function awkCommands(program: Word): Inner[] {
  const commands = /\bsystem\s*\(\s*"([^"]*)"|"([^"]*)"\s*\|\s*&?\s*getline|\|\s*&?\s*"([^"]*)"/g;
  return [...(program.text ?? '').matchAll(commands)].map(
    ([, one, two, three]): Inner => ({ kind: 'code', word: program, text: one ?? two ?? three ?? '' }),
  );
}

/** What is built from fields or variables and run. */
function awkDoubts(program: string): string[] {
  const isLiteral = /\bsystem\s*\(\s*"[^"]*"\s*\)|"[^"]*"\s*\|\s*&?\s*getline|\|\s*&?\s*"[^"]*"/.test(
    program,
  );
  return isLiteral ? [] : [CODE];
}

/** A script of sed: commands that run or read something. */
function sedScript(args: readonly Word[]): Unwrapped | null {
  const reads = args.flatMap(({ text }) =>
    [...(text ?? '').matchAll(/(?:^|[;{}\d$/\n])\s*[rR]\s+([^;\n}]+)/g)].map(([, file = '']) => file.trim()),
  );
  const script = args.find(({ text }) => text !== null && SED_RUNS.test(text));
  if (!script?.text) return reads.length === 0 ? null : { ...NOTHING, reads };
  const commands = [...script.text.matchAll(/(?:^|[;{}\d$/\n])\s*e\s+([^;\n}]+)/g)].map(
    ([, one = '']) => one,
  );
  const inner = commands.map((text): Inner => ({ kind: 'code', word: script, text }));
  const isEmpty = /^\d*e\s*$/.test(script.text);
  return {
    ...NOTHING,
    inner,
    reads,
    traits: ['runs_code'],
    doubts: inner.length > 0 || isEmpty ? [] : [CODE],
  };
}

const NOTHING: Unwrapped = { inner: [], traits: [], doubts: [], readsInput: false };

function input(args: readonly Word[]): Unwrapped {
  const file = args.find(({ text }) => text === null || text === '-' || !text.startsWith('-'));
  const readsInput = file === undefined || file.text === '-' || file.text === '/dev/stdin';
  return { ...NOTHING, readsInput, ...(file && !readsInput && { file }) };
}

function sourced(args: readonly Word[]): Unwrapped {
  const [file] = args;
  return { ...NOTHING, readsInput: file?.text === '/dev/stdin', ...(file && { file }) };
}

/** Options whose value another program runs as a command. */
const RUN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
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

/** The commands in options of programs that are no wrappers. */
export function optionCode({ name, args }: Invocation, subcommand: string | null): Inner[] {
  const key = subcommand === null ? name : `${name} ${subcommand}`;
  const options = [...listOf(name), ...(key === name ? [] : listOf(key))];
  const inner: Inner[] = [];
  if (options.length > 0)
    for (const [at, word] of args.entries()) {
      const value = optionValue(word, args[at + 1], options);
      if (value) inner.push(value);
    }
  if (name === 'find' || name === 'fd' || name === 'fdfind') inner.push(...foundRuns(args));
  if (/^(?:ssh|scp|sftp|rsync|mosh|autossh)$/.test(name)) inner.push(...proxies(args));
  return inner;
}

function listOf(key: string): readonly string[] {
  return (Object.hasOwn(RUN_OPTIONS, key) ? RUN_OPTIONS[key] : undefined) ?? [];
}

function optionValue(word: Word, next: Word | undefined, options: readonly string[]): Inner | null {
  const { text } = word;
  if (text === null) return null;
  for (const option of options) {
    if (text === option && next) return { kind: 'code', word: next, text: next.text };
    if (text.startsWith(`${option}=`)) return { kind: 'code', word, text: text.slice(option.length + 1) };
  }
  return null;
}

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec', '--exec-batch']);

/** `find -exec command ;`, and the same of `fd`. */
function foundRuns(args: readonly Word[]): Inner[] {
  const inner: Inner[] = [];
  for (const [at, { text }] of args.entries()) {
    if (text === null || !FIND_RUNS.has(text)) continue;
    const end = args.findIndex((word, n) => n > at && (word.text === ';' || word.text === '+'));
    const words = args.slice(at + 1, end === -1 ? undefined : end);
    if (words.length > 0) inner.push({ kind: 'words', words });
  }
  return inner;
}

function proxies(args: readonly Word[]): Inner[] {
  return args.flatMap((word) => {
    const [, command] =
      /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.+)$/is.exec(word.text ?? '') ?? [];
    return command === undefined ? [] : ([{ kind: 'code', word, text: command }] satisfies Inner[]);
  });
}
