import type { Inner, Invocation, Unwrapped } from './unwrap.ts';
import type { Word } from './word.ts';

/** Options after which an interpreter finds code in a language that is not read here. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  python: /^-[a-zA-Z]*c/,
  pypy: /^-[a-zA-Z]*c/,
  perl: /^-[a-zA-Z0-9]*[eE]/,
  ruby: /^-[a-zA-Z]*e/,
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
const READS_INPUT = new Set([...Object.keys(CODE_OPTIONS), 'deno', 'at', 'batch', 'tclsh', 'expect', 'gdb']);
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
  if (AWKS.has(name)) return scripted(args, AWK_RUNS);
  if (name === 'sed' || name === 'gsed') return scripted(args, SED_RUNS);
  if (name === 'deno' && args[0]?.text === 'eval') return unread([]);
  if (name === 'source' || name === '.') return sourced(args);
  const options = Object.hasOwn(CODE_OPTIONS, name) ? CODE_OPTIONS[name] : undefined;
  if (options === undefined && !READS_INPUT.has(name)) return null;
  for (const { text } of args) {
    if (text !== null && options?.test(text)) return unread([]);
    // The first word that is no option is the program; what follows is for it.
    if (text === null || !text.startsWith('-')) break;
  }
  return READS_INPUT.has(name) ? input(args) : null;
}

function unread(inner: Inner[]): Unwrapped {
  return { inner, traits: ['runs_code'], doubts: [CODE], readsInput: false };
}

function input(args: readonly Word[]): Unwrapped {
  const file = args.find(({ text }) => text === null || text === '-' || !text.startsWith('-'));
  const readsInput = file === undefined || file.process || file.text === '-' || file.text === '/dev/stdin';
  return { inner: [], traits: [], doubts: [], readsInput };
}

function sourced(args: readonly Word[]): Unwrapped {
  const [file] = args;
  return {
    inner: [],
    traits: [],
    doubts: [],
    readsInput: file !== undefined && (file.process || file.text === '/dev/stdin'),
  };
}

function scripted(args: readonly Word[], runs: RegExp): Unwrapped | null {
  return args.some(({ text }) => text !== null && runs.test(text)) ? unread([]) : null;
}

/** Options whose value another program runs as a command. */
const RUN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
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
  if (name === 'ssh') inner.push(...proxies(args));
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

/** Settings of git that name a command; `!` before one is the shell's. */
const GIT_RUNS =
  /^(?:alias\..+|core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\..+|diff\.external|diff\..+\.(?:textconv|command)|difftool\..+\.cmd|mergetool\..+\.cmd|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg(?:\..+)?\.program|interactive\.difffilter|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|browser\..+\.cmd|man\..+\.cmd|sendemail\..+cmd)$/;

/** What `git -c` and `git config` make git run. */
export function gitSettings({ args }: Invocation): Inner[] {
  const inner: Inner[] = [];
  for (const [at, word] of args.entries()) {
    const text = word.text ?? '';
    const [, key, value] = /^([\w.-]+\.[\w-]+)=(.*)$/s.exec(text) ?? [];
    if (key !== undefined && value !== undefined) inner.push(...setting(key, value, word));
    else if (GIT_RUNS.test(text.toLowerCase())) {
      const next = args[at + 1];
      if (next) inner.push(...setting(text, next.text, next));
    }
  }
  return inner;
}

function setting(name: string, value: string | null, word: Word): Inner[] {
  const key = name.toLowerCase();
  if (!GIT_RUNS.test(key)) return [];
  if (value === null) return [{ kind: 'code', word, text: null }];
  if (value.startsWith('!')) return [{ kind: 'code', word, text: value.slice(1) }];
  if (key.startsWith('alias.')) return [{ kind: 'code', word, text: `git ${value}` }];
  // `store`, `cache` and the like are helpers of git itself.
  if (key.endsWith('.helper') && /^[\w-]+$/.test(value)) return [];
  return value === '' || value === 'true' || value === 'false' ? [] : [{ kind: 'code', word, text: value }];
}
