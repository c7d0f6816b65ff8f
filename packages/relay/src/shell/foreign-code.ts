import { type CodeLiteral, findWrittenLiterals } from './foreign-writes.ts';

/** The possible effects of code in a language other than shell, derived from the string literals in the code. */
export interface ForeignCodeAnalysis {
  /** Strings with shell code. */
  readonly texts: readonly PossibleCommand<string>[];
  /** Commands as lists of words. */
  readonly commands: readonly PossibleCommand<readonly string[]>[];
  /** Paths that it may read (`<`), and paths that it writes, moves or deletes (`>`). */
  readonly files: readonly { readonly operator: '<' | '>'; readonly path: string }[];
  /** Why its effect is unknown. Null if its literals determine it. */
  readonly unclearReason: string | null;
}

/** A literal, or a list of literals, that may be a command. */
export interface PossibleCommand<Value> {
  readonly value: Value;
  /** Whether the code passes it to a call that starts a program. */
  readonly isCertain: boolean;
}

/** Calls that start programs, in the languages that agents use. */
const PROGRAM_START =
  /\b(?:system|popen\d?|exec[lv]?[pe]{0,2}|execSync|execFile(?:Sync)?|spawn\w*|fork|subprocess|check_(?:output|call)|getoutput|getstatusoutput|shell_exec|passthru|proc_open|pcntl_exec|child_process|Popen|Process|ProcessBuilder|Runtime|Open3|IO\.popen|os\.execute|Deno\.(?:Command|run)|Sys\.command|Bun\.(?:spawn|\$)|do (?:shell )?script|doShellScript|(?:sh|shell)(?=\s*[("'])|shell-command(?:-to-string)?|call-process|start-process|make-process|process-(?:lines|file)|eshell-command|run|execute|qx|pipe|readpipe|syscall|pty|posix_spawn|invoke|call)\b|`|\$`|%x[({[]/;
/** Calls whose literals are certainly commands. For other calls, a literal must look like a command. */
const CERTAIN_PROGRAM_START =
  /\b(?:system|popen\d?|exec[lv]?[pe]{0,2}|execSync|execFile(?:Sync)?|spawn\w*|subprocess|check_(?:output|call)|getoutput|getstatusoutput|shell_exec|passthru|proc_open|pcntl_exec|child_process|Popen|ProcessBuilder|Open3|os\.execute|Deno\.Command|Bun\.(?:spawn|\$)|do shell script|shell-command|call-process|start-process|make-process|process-(?:lines|file)|eshell-command|qx|readpipe)\b/;
/** The start of a call whose first argument is certainly a command. */
const CERTAIN_CALL = new RegExp(`${CERTAIN_PROGRAM_START.source}(?:\\.\\w+)?[\\s([{]*[rbfuRBFU]{0,2}$`);
/** `.exec(` of a regular expression or a database, unless the code uses a module that starts programs. */
const OTHER_EXEC_CALL = /(?<!\bos)\.exec\s*\(\s*$/;
/** Characters before a literal in which its call is searched. */
const MAX_CALL_CHARS = 80;
/** Modules whose functions start programs. */
const PROCESS_MODULES = /\b(?:child_process|subprocess|pty|pexpect|Open3|execa|shelljs|zx)\b/;
/** Code that is created at run time. */
const DYNAMIC_EVALUATION =
  /(?<![.\w])(?:eval|exec|compile|__import__|instance_eval|class_eval|loadstring|dofile|assert|Function|execfile|importlib|runpy|setattr|getattr|globals|vars|marshal|pickle|ctypes|cffi|require_once|include)\s*\(|\beval\b(?!\w)|\bvm\.run|process\.binding|\bdlopen\b/;
/** Calls that compose strings from values other than literals. */
const DECODING_CALLS =
  /\b(?:b64decode|base64|fromhex|unhexlify|fromCharCode|fromCodePoint|atob|decode64|unpack|pack|rot13|codecs|chr|hex2bin|str_rot13|gzinflate|bytes\(|bytearray|reversed|reverse|\[::-1\])/;
/** Calls that open files. */
const FILE_OPENING_CALLS =
  /\b(?:open|read\w*|File|file\w*|fopen|readfile|slurp|load\w*|copy\w*|move|rename|cp|link\w*|symlink\w*|io\.lines|lines|getline|cat|include|require|source|import|Path|fs|IO|scan|fromFile|readLines|getSource|createReadStream|text|glob|walk|listdir|insert-file-contents|find-file|include_str|fetch|send_file|get|put)\b|<|-[np]/;
const HOME_REFERENCE = /\b(?:HOME|homedir|expanduser|Dir\.home|Path\.home|USERPROFILE)\b/;

const UNANALYZED_CODE = 'it runs code in a language that cannot be analyzed';
const MAX_LITERALS = 400;

/** A command with `|` before or after it. */
const PIPED_COMMAND = /^\s*\|[^|]+$|^[^|]+\|\s*$/;

interface Literal extends CodeLiteral {
  readonly isCommand: boolean;
  /** Whether a call that starts programs receives it as its first argument. */
  readonly isCertain: boolean;
}

/**
 * Analyzes code in another language by its literals. Returns the literals that look like commands or
 * paths. Code that starts unknown programs, or that evaluates or decodes strings, is reported as
 * unclear.
 */
export function analyzeForeignCode(code: string): ForeignCodeAnalysis {
  const literals = joinLiterals(code, findLiterals(code));
  const bare = withoutLiterals(code, literals);
  const starts =
    PROGRAM_START.test(bare) || PROCESS_MODULES.test(code) || literals.some(({ isCommand }) => isCommand);
  // Perl opens the output or input of the command `rm x|`.
  const pipes = /\bopen\b/.test(bare)
    ? literals.flatMap((literal) =>
        PIPED_COMMAND.test(literal.text) ? { ...literal, text: literal.text.replace('|', '') } : [],
      )
    : [];
  const texts = [...pipes, ...(starts ? literals : [])].flatMap(({ text, isCertain }) =>
    /\S/.test(text) ? { value: text, isCertain } : [],
  );
  const lispLists = /^\s*(?:;[^\n]*\n\s*)*\(/.test(code)
    ? findWordLists(code, findLiterals(code), LISP_SEPARATOR)
    : [];
  const commands = starts ? [...findWordLists(code, literals), ...lispLists] : [];
  const paths = [
    ...literals.map(({ text }) => text),
    ...findWordLists(code, literals).map(({ value }) => value.join('/')),
  ];
  const reads = FILE_OPENING_CALLS.test(code)
    ? [...new Set(paths)].flatMap((text) => findPaths(text, code))
    : [];
  const writes = findWrittenLiterals(code, literals).flatMap((text) => findPaths(text, code));
  const files = [
    ...reads.map((path) => ({ operator: '<' as const, path })),
    ...writes.map((path) => ({ operator: '>' as const, path })),
  ];
  return { texts, commands, files, unclearReason: findUnclearReason(code, bare, literals) };
}

function findUnclearReason(code: string, bare: string, literals: readonly Literal[]): string | null {
  if (literals.length >= MAX_LITERALS) return 'it contains too much code to be analyzed';
  const isSure = CERTAIN_PROGRAM_START.test(bare);
  if (isSure && !literals.some(({ text }) => /^[\w./-]+/.test(text.trim()))) return UNANALYZED_CODE;
  if (isSure && startsUnknownProgram(code, literals)) return UNANALYZED_CODE;
  if (
    DECODING_CALLS.test(bare) &&
    (isSure || FILE_OPENING_CALLS.test(bare) || DYNAMIC_EVALUATION.test(bare))
  ) {
    if (isSure || DYNAMIC_EVALUATION.test(bare) || /\b(?:open|read|File)\b/.test(bare))
      return UNANALYZED_CODE;
  }
  return DYNAMIC_EVALUATION.test(bare) && !isHarmlessEvaluation(bare) ? UNANALYZED_CODE : null;
}

/** Whether an evaluation is harmless: modules that are only loaded, `re.compile` and similar calls. */
function isHarmlessEvaluation(bare: string): boolean {
  const without = bare
    .replaceAll(/\b(?:re|regex|ast|RegExp)\.(?:compile|literal_eval|exec)\b/g, '')
    .replaceAll(/(?:getattr|assert|compile|vars|Function|include)\s*\(/g, '');
  return !DYNAMIC_EVALUATION.test(without);
}

/** Whether a call starts a program with anything except a literal or a list of literals. */
function startsUnknownProgram(code: string, literals: readonly Literal[]): boolean {
  const calls = code.matchAll(
    /\b(?:system|popen|execSync|execFileSync|spawnSync|spawn|check_output|check_call|getoutput|shell_exec|passthru|os\.execute|Popen|execvp?|subprocess\.\w+|\w+\.(?:run|call|exec))\s*\(\s*/g,
  );
  for (const call of calls) {
    const at = (call.index ?? 0) + call[0].length;
    if (literals.some(({ start, end }) => start <= (call.index ?? 0) && end > (call.index ?? 0))) continue;
    if (/^[[({\s]*["'`)rbfu]/.test(code.slice(at))) continue;
    if (CERTAIN_PROGRAM_START.test(call[0]) || /\bsubprocess\b/.test(call[0])) return true;
  }
  return false;
}

const LITERAL =
  /"""([\s\S]*?)"""|'''([\s\S]*?)'''|"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)'|`((?:[^`\\]|\\[\s\S])*)`|(?:%x|\bqx|\bqw|\bq)\s*(?:\{([^}]*)\}|\(([^)]*)\)|\[([^\]]*)\]|\/([^/]*)\/|\|([^|]*)\|)/g;

/** `{name}` in a Python f-string. In shell code, it becomes the value of a variable. */
const FORMATTED_VALUE = /\{([^{}]*)\}/g;
/** `${name}` in a template of JavaScript. */
const TEMPLATE_VALUE = /\$\{([^{}]*)\}/g;

/** `{job.branch!r}` becomes `$branch`. */
function toShellVariable(value: string, expression: string): string {
  const [path] = /^\s*[\w.]+/.exec(expression) ?? [];
  const name = path?.split('.').at(-1)?.trim();
  return name ? `$${name}` : value;
}

function findLiterals(code: string): Literal[] {
  const literals: Literal[] = [];
  const usesProcesses = PROCESS_MODULES.test(code);
  for (const match of code.matchAll(LITERAL)) {
    const [whole, ...groups] = match;
    const text = groups.find((group) => group !== undefined) ?? '';
    const start = match.index ?? 0;
    const isCommand = /^(?:`|%x|qx)/.test(whole);
    const isFormatted = /(?:^|[^\w])[rR]?[fF][rR]?$/.test(code.slice(Math.max(0, start - 3), start));
    const values = whole.startsWith('`') ? TEMPLATE_VALUE : isFormatted ? FORMATTED_VALUE : null;
    const value = values === null ? text : text.replaceAll(values, toShellVariable);
    const before = code.slice(Math.max(0, start - MAX_CALL_CHARS), start);
    const isOtherCall = !usesProcesses && OTHER_EXEC_CALL.test(before);
    const isCertain = /^(?:%x|qx)/.test(whole) || (CERTAIN_CALL.test(before) && !isOtherCall);
    literals.push({ text: unescaped(value), start, end: start + whole.length, isCommand, isCertain });
    if (literals.length >= MAX_LITERALS) break;
  }
  return literals;
}

function unescaped(text: string): string {
  return text
    .replaceAll(/\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})/g, (_, hex, unicode) =>
      String.fromCharCode(Number.parseInt(hex ?? unicode, 16)),
    )
    .replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replaceAll('\\n', '\n')
    .replaceAll(/\\(["'`\\$])/g, '$1');
}

/** Joins `'.e' + 'nv'`, `"a" . "b"` and `"a" "b"` into one literal. */
function joinLiterals(code: string, literals: readonly Literal[]): readonly Literal[] {
  const joined: Literal[] = [];
  for (const literal of literals) {
    const before = joined.at(-1);
    if (
      before &&
      /^\s*(?:\+|\.\.?|\/)?\s*$/.test(code.slice(before.end, literal.start)) &&
      literal.start > before.end
    )
      joined.splice(-1, 1, {
        ...before,
        text: before.text + (code.slice(before.end, literal.start).includes('/') ? '/' : '') + literal.text,
        end: literal.end,
      });
    else joined.push(literal);
  }
  return joined;
}

function withoutLiterals(code: string, literals: readonly Literal[]): string {
  let bare = '';
  let at = 0;
  for (const { start, end } of literals) {
    bare += `${code.slice(at, start)} "" `;
    at = end;
  }
  return (bare + code.slice(at)).replaceAll(/(?:^|\s)(?:#|\/\/)[^\n]*/g, ' ');
}

const LIST_SEPARATOR = /^\s*[)\]]?\s*,\s*\{?\s*(?:args\s*:\s*)?[[(]?\s*$/;
/** Literals in Lisp are separated by blanks, as in `(call-process "rm" nil nil nil "-r")`. */
const LISP_SEPARATOR = /^\s+(?:nil\s+){0,3}['#]?(?:[([]\s*(?:list\s+)?)?$/;

/**
 * Groups literals that are separated by commas or blanks as the words of one command: `['git', 'push']`,
 * `qw(git push)`.
 */
function findWordLists(
  code: string,
  literals: readonly Literal[],
  separator = LIST_SEPARATOR,
): PossibleCommand<readonly string[]>[] {
  const lists: { readonly value: string[]; readonly isCertain: boolean }[] = [];
  let before: Literal | null = null;
  for (const literal of literals) {
    const between = before ? code.slice(before.end, literal.start) : '';
    const isNext = before !== null && separator.test(between);
    // `execvp('git', ['git', 'push'])` repeats the name; `spawn('git', ['push'])` does not.
    const isRepeated = isNext && /[[(]\s*$/.test(between) && lists.at(-1)?.value.join() === literal.text;
    if (isNext && !isRepeated) lists.at(-1)?.value.push(literal.text);
    else lists.push({ value: [literal.text], isCertain: literal.isCertain });
    before = literal;
  }
  return lists.map(({ value, isCertain }) => ({
    value: value.length === 1 ? (value[0] ?? '').trim().split(/\s+/) : value,
    isCertain: isCertain && value.length > 1,
  }));
}

/** The paths that a literal may mean. A literal that code appends to the home directory is relative to it. */
function findPaths(text: string, code: string): string[] {
  if (text.length > 300 || /\n/.test(text)) return [];
  if (!HOME_REFERENCE.test(code)) return [text];
  return [text, `~/${text.replace(/^.*?HOME[^/]*\//, '').replace(/^[~/]+/, '')}`];
}
