import type { Scope } from './scope.ts';
import type { Word } from './word.ts';

/** Languages of programs in which a command of the shell can be started, or a file read. */
type Language =
  | 'ex'
  | 'ed'
  | 'gdb'
  | 'lldb'
  | 'sql'
  | 'sqlite'
  | 'ftp'
  | 'tcl'
  | 'm4'
  | 'make'
  | 'cron'
  | 'shell'
  | 'bind'
  | 'npm';

/** How a program is given commands of its own language. */
interface Interpreter {
  readonly language: Language;
  /** Options whose value is such a command; `-c` also at the end of a cluster. */
  readonly options?: readonly string[];
  /** Words that are such commands without an option: all, those after the first, or those that begin so. */
  readonly operands?: 'all' | 'rest' | RegExp;
  /** The language of such words, where it is another one. */
  readonly operandLanguage?: Language;
  /** Options whose value names a file of such commands; the file it reads without one. */
  readonly files?: readonly string[];
  readonly usual?: readonly string[];
  /** Its words are such files. */
  readonly fileOperands?: true;
  /** It reads commands from its input when it is given no file. */
  readonly input?: 'always' | 'without operands' | 'dash';
}

/** Where a command of the shell stands in each language, and where a file that is read. */
const RUNS: Readonly<Record<Language, readonly RegExp[]>> = {
  ex: [
    /(?:^|[|\n])[ :]*(?:sil(?:ent)?!?\s+)*(?:[\d,%$.]*\s*)(?:r(?:ead)?|w(?:rite)?)?\s*!(.+)/g,
    /\b(?:system|systemlist|termopen|jobstart|job_start)\(\s*["'](.+?)["']\s*[,)]/g,
    /(?:^|[|\n])[ :]*te(?:rm(?:inal)?)?\s+(?:\+\+\w+\s+)*(.+)/g,
  ],
  ed: [/(?:^|\n)[\d,%$.]*[rwe]?\s*!(.+)/g],
  gdb: [/(?:^|\n)\s*(?:shell|!|make)\s*(.+)/g, /(?:^|\n)\s*pipe\s.*?\|\s*(.+)/g],
  lldb: [/(?:^|\n)\s*(?:platform\s+)?shell\s+(?:-h\s+--\s+)?(.+)/g, /(?:^|\n)\s*!(.+)/g],
  sql: [
    /\\!\s*(.+)/g,
    /(?:^|[;\n])\s*system\s+([^;\n]+)/gi,
    /\bprogram\s+'((?:[^']|'')+)'/gi,
    /\\o\s*\|\s*(.+)/g,
  ],
  sqlite: [
    /(?:^|\n)\s*\.(?:shell|system)\s+(.+)/g,
    /(?:^|\n)\s*\.(?:output|once|read|import)\s+'?\|\s*(.+)/g,
  ],
  ftp: [/(?:^|\n)\s*!(.+)/g],
  tcl: [/\b(?:spawn|exec|system)\s+(?:-\w+\s+)*([^;\n\]]+)/g],
  m4: [/\be?syscmd\(\s*[`"']*([^)]+?)["']*\s*\)/g],
  make: [/(?:^|\n)\t[@+-]*(.+)/g, /(?:^|\n)[^\n:#=]+:[^;\n]*;\s*[@+-]*(.+)/g, /\$\(shell\s+([^)]+)\)/g],
  cron: [/(?:^|\n)\s*(?:@\w+|(?:[^\s#]+[ \t]+){5})(.+)/g],
  shell: [/^([\s\S]+)$/g],
  bind: [/:\s*(.+)$/g],
  npm: [/"[\w:.-]+"\s*:\s*"((?:[^"\\]|\\.)+)"/g, /^scripts\.[\w:.-]+=([\s\S]+)$/g],
};
const READS: Readonly<Partial<Record<Language, RegExp>>> = {
  ex: /(?:^|[|\n])[ :]*(?:[\d,%$.]*)(?:r(?:ead)?|e(?:dit)?|so(?:urce)?|sp(?:lit)?|tabe(?:dit)?)!?\s+([^|\n!]+)/g,
  ed: /(?:^|\n)[\d,%$.]*[re]\s+([^!\n]+)/g,
  sqlite:
    /(?:^|\n)\s*\.(?:read|import)\s+(?!-|\|)(\S+)|\b(?:readfile|load_file|read_csv\w*|from)\s*\(?\s*'([^']+)'/gi,
  ftp: /(?:^|\n)\s*(?:m?put|append)\s+([^\n]+)/g,
  m4: /\bs?include\(\s*[`"']*([^)]+?)["']*\s*\)/g,
  sql: /\\(?:i|ir|copy\s+\S+\s+from)\s+(\S+)|(?:^|[;\n])\s*source\s+(\S+)|\b(?:readfile|load_file|pg_read_file|infile|read_csv\w*|from)\s*\(?\s*'([^']+)'/gi,
};

const VIM: Interpreter = { language: 'ex', options: ['-c', '--cmd'], operands: /^\+(?!\d*$)(.+)$/s };
const MAKE: Interpreter = {
  language: 'make',
  options: ['--eval'],
  operands: /^SHELL=(.+)$/s,
  operandLanguage: 'shell',
  input: 'dash',
  files: ['-f', '--file', '--makefile'],
  usual: ['Makefile', 'makefile', 'GNUmakefile'],
};
const SQL: Interpreter = {
  language: 'sql',
  options: ['-c', '-e', '--command', '--execute'],
  input: 'always',
};

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  vi: VIM,
  vim: VIM,
  nvim: VIM,
  gvim: VIM,
  view: VIM,
  vimdiff: VIM,
  ex: { ...VIM, input: 'always' },
  ed: { language: 'ed', input: 'always' },
  less: { language: 'ex', operands: /^\+(.+)$/s },
  more: { language: 'ex', operands: /^\+(.+)$/s },
  gdb: {
    language: 'gdb',
    options: ['-ex', '-iex', '--ex', '--iex', '--eval-command', '--init-eval-command', '-eval-command'],
    input: 'always',
  },
  lldb: { language: 'lldb', options: ['-o', '-O', '--one-line', '--one-line-before-file'], input: 'always' },
  psql: SQL,
  mysql: SQL,
  mariadb: SQL,
  sqlite3: { language: 'sqlite', options: ['-cmd'], operands: 'all', input: 'always' },
  ftp: { language: 'ftp', input: 'always' },
  sftp: { language: 'ftp', input: 'always' },
  expect: { language: 'tcl', options: ['-c'], input: 'without operands' },
  tclsh: { language: 'tcl', input: 'without operands' },
  wish: { language: 'tcl', input: 'without operands' },
  m4: { language: 'm4', input: 'always' },
  make: MAKE,
  gmake: MAKE,
  at: { language: 'shell', input: 'always', files: ['-f'] },
  batch: { language: 'shell', input: 'always', files: ['-f'] },
  crontab: { language: 'cron', input: 'always', fileOperands: true },
  npm: { language: 'npm', usual: ['package.json'], operands: /^(scripts\.[\w:.-]+=.+)$/s },
  pnpm: { language: 'npm', usual: ['package.json'] },
  yarn: { language: 'npm', usual: ['package.json'] },
  bun: { language: 'npm', usual: ['package.json'] },
  'npm set-script': { language: 'shell', operands: 'all' },
  hyperfine: {
    language: 'shell',
    options: ['-p', '-s', '-c', '--prepare', '--setup', '--cleanup', '--conclude'],
    operands: 'all',
  },
  concurrently: { language: 'shell', operands: 'all' },
  compgen: { language: 'shell', options: ['-C'] },
  complete: { language: 'shell', options: ['-C'] },
  bind: { language: 'bind', options: ['-x'] },
  nc: { language: 'shell', options: ['-e', '-c', '--exec', '--sh-exec'] },
  ncat: { language: 'shell', options: ['-e', '-c', '--exec', '--sh-exec'] },
  netcat: { language: 'shell', options: ['-e', '-c'] },
  socat: { language: 'shell', operands: /^(?:EXEC|SYSTEM|SHELL):(?:'|")?([^,'"]+)/is },
  ansible: { language: 'shell', options: ['-a', '--args'] },
  screen: { language: 'shell', options: ['stuff'] },
  'tmux send-keys': { language: 'shell', operands: 'rest' },
  'tmux send': { language: 'shell', operands: 'rest' },
};

/** What a program runs and reads by commands of its own language. */
export interface Escapes {
  /** Texts for a shell, with the words they stand in. */
  readonly runs: readonly CommandText[];
  readonly reads: readonly string[];
  /** Its input is a text of its language that nobody knows. */
  readonly readsUnknown: boolean;
}

/** The commands in the program's own language that its words and its input hold; null for any other program. */
export function shellEscapes(
  name: string,
  args: readonly Word[],
  input: { readonly text: string | null } | null,
  subcommand: string | null,
  scope: Scope,
): Escapes | null {
  const key = [`${name} ${subcommand}`, name].find((one) => Object.hasOwn(INTERPRETERS, one));
  const interpreter = key === undefined ? undefined : INTERPRETERS[key];
  if (!interpreter) return null;
  const { language } = interpreter;
  const texts = [
    ...optionTexts(args, interpreter),
    ...operandTexts(args, interpreter, key !== name),
    ...fileTexts(args, interpreter, scope),
  ];
  const runs = texts.flatMap(({ word, text, language: own = language }): CommandText[] => {
    if (text === null) return language === 'shell' && word.unknown !== 'own' ? [{ word, text }] : [];
    return commandsIn(text, own).map((one) => ({ word, text: one }));
  });
  const reads = texts.flatMap(({ text }): readonly string[] =>
    text === null ? [] : filesIn(text, language),
  );
  const [first] = args;
  const takesInput = input !== null && readsInput(args, interpreter);
  if (takesInput && input.text !== null && first === undefined) reads.push(...filesIn(input.text, language));
  if (takesInput && input.text !== null)
    for (const text of commandsIn(input.text, language)) runs.push({ word: first ?? NO_WORD, text });
  if (takesInput && input.text !== null && first !== undefined) reads.push(...filesIn(input.text, language));
  return { runs, reads, readsUnknown: takesInput && input.text === null };
}

const NO_WORD: Word = {
  start: 0,
  end: 0,
  text: '',
  certain: true,
  sure: true,
  prefix: '',
  splits: false,
  glob: false,
  pattern: '',
  unknown: null,
  process: null,
};

/** The commands for a shell in a text of such a language, such as a script that is written and run. */
export function commandsIn(text: string, language: Language): readonly string[] {
  return RUNS[language].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, command]) => (command === undefined ? [] : [command.trim()])),
  );
}

function filesIn(text: string, language: Language): readonly string[] {
  const pattern = READS[language];
  if (!pattern) return [];
  return [...text.matchAll(pattern)].flatMap(([, one, other, more]) =>
    (one ?? other ?? more ?? '').trim().split(/\s+/).filter(Boolean),
  );
}

interface CommandText {
  readonly word: Word;
  readonly text: string | null;
  readonly language?: Language;
}

/** Files of such commands that this text wrote, or that a program prints. */
function fileTexts(
  args: readonly Word[],
  { files = [], usual = [], fileOperands }: Interpreter,
  scope: Scope,
): CommandText[] {
  const named = args.filter(
    ({ text }, at) => files.includes(args[at - 1]?.text ?? '') || (fileOperands && !/^-/.test(text ?? '')),
  );
  const given = named.flatMap((word): CommandText[] => {
    if (word.process) return [{ word, text: word.process.text }];
    const written = word.text === null ? null : scope.fileAt(word.text);
    return written ? [{ word, text: written.text }] : [];
  });
  const others = named.length > 0 ? [] : usual.flatMap((path) => scope.fileAt(path) ?? []);
  return [...given, ...others.map(({ text }) => ({ word: NO_WORD, text }))];
}

function optionTexts(args: readonly Word[], { options = [] }: Interpreter): CommandText[] {
  const texts: CommandText[] = [];
  for (const [at, word] of args.entries()) {
    const { text } = word;
    const next = args[at + 1];
    if (text === null) continue;
    for (const option of options) {
      const isCluster =
        /^-\w$/.test(option) && /^-[a-zA-Z]{2,4}$/.test(text) && text.endsWith(option.charAt(1));
      if ((text === option || isCluster) && next)
        texts.push({ word: next, text: option === 'stuff' ? typedText(next.text) : next.text });
      else if (text.startsWith(`${option}=`)) texts.push({ word, text: text.slice(option.length + 1) });
    }
  }
  return texts;
}

/** What is typed: the words behind the options of `tmux send-keys`. */
function withoutOptions(args: readonly Word[]): readonly Word[] {
  let at = 0;
  while (at < args.length && /^-./.test(args[at]?.text ?? ''))
    at += /^-[tNc]$/.test(args[at]?.text ?? '') ? 2 : 1;
  return args.slice(at);
}

const KEY = /^(?:Enter|C-[a-z]|M-.|Space|Tab|Escape|BSpace|Up|Down|Left|Right)$/;

/** Keys as `screen -X stuff` takes them. */
function typedText(text: string | null): string | null {
  return text === null ? null : text.replaceAll(/\\[nr]|\^M|\\01[25]/g, '\n');
}

function operandTexts(
  args: readonly Word[],
  { operands, operandLanguage }: Interpreter,
  isSubcommand: boolean,
): CommandText[] {
  if (operands === undefined) return [];
  const plain = args.filter(({ text }) => text === null || !/^-./.test(text));
  if (operands === 'all') return plain.map((word) => ({ word, text: word.text }));
  if (operands === 'rest') {
    // Keys are typed one after the other: `send-keys 'git push' Enter`.
    const typed = withoutOptions(args.slice(isSubcommand ? 1 : 0));
    const [word] = typed;
    if (!word) return [];
    const text = typed.map((one) =>
      one.text === 'Space' ? ' ' : KEY.test(one.text ?? '') ? '\n' : one.text,
    );
    return [
      {
        word,
        text: text
          .join('')
          .replaceAll(/[\r\n]+/g, '\n')
          .trim(),
      },
    ];
  }
  return plain.flatMap((word) => {
    const [, text] = operands.exec(word.text ?? '') ?? [];
    return text === undefined ? [] : [{ word, text, ...(operandLanguage && { language: operandLanguage }) }];
  });
}

function readsInput(args: readonly Word[], { input }: Interpreter): boolean {
  if (input === 'always') return true;
  // The grammar drops a `-` before a here-document.
  if (input === 'dash')
    return args.some(({ text }) => text === '-' || text === '/dev/stdin') || args.at(-1)?.text === '-f';
  return input === 'without operands' && args.every(({ text }) => text?.startsWith('-'));
}
