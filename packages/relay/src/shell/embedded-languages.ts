/** The languages of programs that can run shell commands or read files. */
export type EmbeddedLanguage =
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
  | 'just'
  | 'task'
  | 'cron'
  | 'shell'
  | 'bind'
  | 'npm';

/** How a program receives code in its own language. */
export interface EmbeddedInterpreter {
  readonly language: EmbeddedLanguage;
  /** Options whose value is code in the language. `-c` may be at the end of a cluster of short options. */
  readonly options?: readonly string[];
  /** Arguments that are code: all, those after the first, or those that match the expression. */
  readonly operands?: 'all' | 'rest' | RegExp;
  /** The language of these arguments, if it differs from `language`. */
  readonly operandLanguage?: EmbeddedLanguage;
  /** Options whose value is a file with code. Without these options, the program reads `defaultFiles`. */
  readonly files?: readonly string[];
  readonly defaultFiles?: readonly string[];
  /** Whether the arguments are files with code. */
  readonly fileOperands?: true;
  /** When the program reads code from its input: always, if there are no operands, or if an operand is `-`. */
  readonly input?: 'always' | 'without operands' | 'dash';
}

/** The expressions that find shell commands in each language. */
export const EMBEDDED_COMMAND_PATTERNS: Readonly<Record<EmbeddedLanguage, readonly RegExp[]>> = {
  ex: [
    /(?:^|[|\n])[ :]*(?:sil(?:ent)?!?\s+)*(?:[\d,%$.]*\s*)(?:r(?:ead)?|w(?:rite)?)?\s*!(.+)/g,
    /\b(?:system|systemlist|termopen|jobstart|job_start|os\.execute|popen)\s*\(\s*["'](.+?)["']\s*[,)]/g,
    /\bexe(?:cute)?\s+["']:?!(.+?)["']/g,
    /(?:^|[|\n])[ :]*te(?:rm(?:inal)?)?\s+(?:\+\+\w+\s+)*(.+)/g,
  ],
  ed: [/(?:^|\n)[\d,%$.]*[rwe]?\s*!(.+)/g],
  gdb: [/(?:^|\n)\s*(?:shell|!|make)\s*(.+)/g, /(?:^|\n)\s*pipe\s.*?\|\s*(.+)/g],
  lldb: [/(?:^|\n)\s*(?:platform\s+)?shell\s+(?:-h\s+--\s+)?(.+)/g, /(?:^|\n)\s*!(.+)/g],
  sql: [
    /\\!\s*(.+)/g,
    /(?:^|[;\n])\s*(?:system|pager)\s+([^;\n]+)/gi,
    /\bprogram\s+'((?:[^']|'')+)'/gi,
    /\\(?:o|out|g|gx|w|write)\s*\|\s*(.+)/g,
    /\\P\s+(\S.*)/g,
    /\\(?:set|echo|setenv|prompt)\b[^\n`]*`([^`\n]+)`/g,
  ],
  sqlite: [
    /(?:^|\n)\s*\.s(?:h|he|hel|hell|ys|yst|yste|ystem)\s+(.+)/g,
    /(?:^|\n)\s*\.(?:output|once|read|import)\s+["']?\|\s*([^"'\n]+)/g,
    /\bedit\([^,)]*,\s*'([^']+)'/gi,
  ],
  ftp: [/(?:^|\n)\s*!(.+)/g],
  tcl: [/\b(?:spawn|exec|system)\s+(?:-\w+\s+)*([^;\n\]]+)/g],
  m4: [/(?:\b|m4_)e?syscmd\(\s*[`"']*([^)]+?)["']*\s*\)/g],
  make: [
    /(?:^|\n)\t[@+-]*(.+)/g,
    /(?:^|\n)[^\n:#=]+:[^;\n]*;\s*[@+-]*(.+)/g,
    /\$\(shell\s+([^)]+)\)/g,
    /(?:^|\n)(?:SHELL|CC|CXX|LD|AR)[ \t]*[:+?]?=[ \t]*(.+)/g,
  ],
  just: [/(?:^|\n)[ \t]+[@-]*(\S.*)/g, /`([^`\n]+)`/g, /\bshell\(\s*["'](.+?)["']\s*\)/g],
  task: [
    /(?:^|\n)[ \t]*(?:-[ \t]+|[\w-]+:[ \t]+)+["']?([^\s"'[{][^\n]*?)["']?(?=\n|$)/g,
    /[[,][ \t]*["']([^"'\n]+)["']/g,
  ],
  cron: [/(?:^|\n)\s*(?:@\w+|(?:[^\s#]+[ \t]+){5})(.+)/g],
  shell: [/^([\s\S]+)$/g],
  bind: [/:\s*(.+)$/g],
  npm: [/"[\w:.-]+"\s*:\s*"((?:[^"\\]|\\.)+)"/g, /^scripts\.[\w:.-]+=([\s\S]+)$/g],
};
/** The expressions that find the files that code in each language reads. */
export const EMBEDDED_FILE_PATTERNS: Readonly<Partial<Record<EmbeddedLanguage, RegExp>>> = {
  ex: /(?:^|[|\n])[ :]*(?:[\d,%$.]*)(?:r(?:ead)?|e(?:dit)?|so(?:urce)?|sp(?:lit)?|tabe(?:dit)?)!?\s+([^|\n!]+)/g,
  ed: /(?:^|\n)[\d,%$.]*[re]\s+([^!\n]+)/g,
  sqlite:
    /(?:^|\n)\s*\.(?:read|import)\s+(?!-|\|)(\S+)|\b(?:readfile|load_file|read_csv\w*|from)\s*\(?\s*'([^']+)'/gi,
  ftp: /(?:^|\n)\s*(?:m?put|append)\s+([^\n]+)/g,
  m4: /\bs?include\(\s*[`"']*([^)]+?)["']*\s*\)/g,
  sql: /\\(?:i|ir|include|include_relative|copy\b[^\n;]*?\sfrom)\s+(\S+)|(?:^|[;\n])\s*source\s+(\S+)|\b(?:readfile|load_file|pg_read_file|infile|read_csv\w*|from)\s*\(?\s*'([^']+)'/gi,
};

const VIM: EmbeddedInterpreter = { language: 'ex', options: ['-c', '--cmd'], operands: /^\+(?!\d*$)(.+)$/s };
const MAKE: EmbeddedInterpreter = {
  language: 'make',
  options: ['--eval'],
  operands: /^(\w+[:+?]?=.+)$/s,
  input: 'dash',
  files: ['-f', '--file', '--makefile'],
  defaultFiles: ['Makefile', 'makefile', 'GNUmakefile'],
};
const SQL: EmbeddedInterpreter = {
  language: 'sql',
  options: ['-c', '-e', '--command', '--execute'],
  input: 'always',
};

/** An alias is a command with arguments. `!` marks a shell command. */
const ALIASES: EmbeddedInterpreter = { language: 'shell', operands: /^!?(\S+\s.+)$/s, input: 'dash' };

/** Programs that can run code in a language of their own, such as `vim`, `psql` and `make`, by command name. */
export const EMBEDDED_INTERPRETERS: Readonly<Record<string, EmbeddedInterpreter>> = {
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
  duckdb: { language: 'sqlite', options: ['-c', '-cmd', '-s'], operands: 'all', input: 'always' },
  sqlite3: { language: 'sqlite', options: ['-cmd'], operands: 'all', input: 'always' },
  ftp: { language: 'ftp', input: 'always' },
  sftp: { language: 'ftp', input: 'always' },
  expect: { language: 'tcl', options: ['-c'], input: 'without operands' },
  tclsh: { language: 'tcl', input: 'without operands' },
  wish: { language: 'tcl', input: 'without operands' },
  m4: { language: 'm4', input: 'always' },
  make: MAKE,
  gmake: MAKE,
  just: {
    language: 'just',
    input: 'dash',
    files: ['-f', '--justfile'],
    defaultFiles: ['justfile', 'Justfile', '.justfile'],
  },
  task: {
    language: 'task',
    input: 'dash',
    files: ['-t', '--taskfile'],
    defaultFiles: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
  },
  at: { language: 'shell', input: 'always', files: ['-f'] },
  batch: { language: 'shell', input: 'always', files: ['-f'] },
  crontab: { language: 'cron', input: 'always', fileOperands: true },
  npm: { language: 'npm', defaultFiles: ['package.json'], operands: /^(scripts\.[\w:.-]+=.+)$/s },
  pnpm: { language: 'npm', defaultFiles: ['package.json'], operands: /^(scripts\.[\w:.-]+=.+)$/s },
  yarn: { language: 'npm', defaultFiles: ['package.json'] },
  bun: { language: 'npm', defaultFiles: ['package.json'] },
  'npm set-script': { language: 'shell', operands: 'all' },
  hyperfine: {
    language: 'shell',
    options: ['-p', '-s', '-c', '--prepare', '--setup', '--cleanup', '--conclude'],
    operands: 'all',
  },
  concurrently: { language: 'shell', operands: 'all' },
  pee: { language: 'shell', operands: 'all' },
  compgen: { language: 'shell', options: ['-C'] },
  complete: { language: 'shell', options: ['-C'] },
  bind: { language: 'bind', options: ['-x'] },
  nc: { language: 'shell', options: ['-e', '-c', '--exec', '--sh-exec'] },
  ncat: { language: 'shell', options: ['-e', '-c', '--exec', '--sh-exec'] },
  netcat: { language: 'shell', options: ['-e', '-c'] },
  socat: { language: 'shell', operands: /^(?:EXEC|SYSTEM|SHELL):(?:'|")?([^,'"]+)/is },
  ansible: { language: 'shell', options: ['-a', '--args'] },
  screen: { language: 'shell', options: ['stuff'] },
  'gh alias': ALIASES,
  'glab alias': ALIASES,
  'kitty @': { language: 'shell', operands: 'all' },
  'kitten @': { language: 'shell', operands: 'all' },
  'wezterm cli': { language: 'shell', operands: 'all' },
  'zellij action': { language: 'shell', operands: 'all' },
  'tmux send-keys': { language: 'shell', operands: 'rest' },
  'tmux send': { language: 'shell', operands: 'rest' },
};
