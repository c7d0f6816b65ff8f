import { unescapePrintf as escaped } from './escapes.ts';
import { ANY_TEXT_WILDCARD, isUnknownPattern } from './glob.ts';
import { convertGrepPatternToLineGlobs } from './grep-pattern.ts';
import { MAX_CODE_CHARS } from './shell-parser.ts';
import {
  type CommandOutput,
  EMPTY_SHELL_WORD,
  type ShellWord,
  type UnknownTextSource,
} from './shell-word.ts';

/** Programs that print content of files or of the network, or prompt the user. */
export const DATA_PROGRAMS = new Set(
  'cat head tail curl wget nc ncat netcat socat telnet http https xh lynx fetch ftp sftp aria2c dig host nslookup ssh scp rsync aws gsutil gcloud az gh glab sed awk gawk mawk grep egrep fgrep zgrep rg ag sort uniq cut tr paste join comm nl tac rev fold fmt strings dd tee xxd od hexdump base64 base32 basenc uuencode uudecode openssl gpg gunzip gzip zcat bunzip2 bzcat xzcat unzip tar zstdcat lz4cat jq yq envsubst xargs m4 python python2 python3 perl ruby node deno bun php lua psql mysql sqlite3 redis-cli diff column bat less more iconv qrencode pbpaste xclip xsel wl-paste printenv env expand'.split(
    ' ',
  ),
);
/** Programs among them with subcommands that print shell settings. */
const SHELL_SETUP_PROGRAMS = new Set(['gh', 'glab', 'aws', 'gcloud', 'az', 'deno', 'bun']);
/** Programs that transform their input. */
const FILTER_PROGRAMS = new Set(
  'cat tee sed awk gawk mawk sort uniq cut tr paste nl tac rev fold fmt head tail grep egrep fgrep rg xxd od base64 base32 gunzip gzip zcat openssl jq column iconv envsubst expand xargs gpg'.split(
    ' ',
  ),
);
/** Git commands that print content of files. */
const GIT_DATA_SUBCOMMANDS = /^(?:show|cat-file|archive|log|diff|grep|blame|config|notes|stash)$/;

/** Code can double a text many times, so the text of a long output is unknown. */
function limitOutput(text: string, names: readonly string[] = []): CommandOutput {
  return { text: text.length > MAX_CODE_CHARS ? null : text, names, unknown: 'computed' };
}

/** Programs that print one line. */
const LINE_PROGRAMS = new Set('basename dirname realpath readlink which type command mktemp pwd'.split(' '));

/** Returns an output with the given text. If `text` is null, the output is data whose text is unknown. */
export function createTextCommandOutput(text: string | null): CommandOutput {
  return text === null ? createUnknownCommandOutput('data') : limitOutput(text);
}

/** Returns a command output with unknown text from the given source. */
export function createUnknownCommandOutput(unknown: UnknownTextSource): CommandOutput {
  return { text: null, names: [], unknown };
}

/**
 * Predicts a command's output: a constant, file names, or the source of unknown text. `input` is
 * null if the command reads no known input. Covers the usual ways to pipe text into a shell.
 */
export function predictCommandOutput(
  name: string,
  args: readonly ShellWord[],
  input: CommandOutput | null,
): CommandOutput {
  const constant = predictConstantOutput(name, args, input?.text ?? null);
  const text = constant !== null && LINE_PROGRAMS.has(name) ? `${constant}\n` : constant;
  if (text !== null) return limitOutput(text);
  const names = predictPrintedNames(name, args, input);
  if (names.length > 0) return { text: null, names, unknown: 'program' };
  if (name === 'echo' || name === 'printf')
    return createUnknownCommandOutput(args.find(({ unknown }) => unknown !== null)?.unknown ?? 'computed');
  if (FILTER_PROGRAMS.has(name) && input !== null && readsOnlyInput(name, args))
    return createUnknownCommandOutput(input.text === null ? input.unknown : 'computed');
  if (name === 'git')
    return createUnknownCommandOutput(GIT_DATA_SUBCOMMANDS.test(args[0]?.text ?? '') ? 'data' : 'program');
  const isOwn = args.some(({ text }) => /^(?:completions?|shellenv|hook|init|activate)$/.test(text ?? ''));
  return createUnknownCommandOutput(
    DATA_PROGRAMS.has(name) && !(isOwn && SHELL_SETUP_PROGRAMS.has(name)) ? 'data' : 'program',
  );
}

/** Whether a filter has no file argument: its arguments are options and a program. */
function readsOnlyInput(name: string, args: readonly ShellWord[]): boolean {
  const operands = args.filter(({ text }) => text === null || !/^-./.test(text));
  return operands.length <= (/^(?:cat|tee|rev|tac|nl|sort|uniq|base64|xxd|od|head|tail)$/.test(name) ? 0 : 1);
}

function predictPrintedNames(
  name: string,
  args: readonly ShellWord[],
  input: CommandOutput | null,
): readonly string[] {
  const operands = args
    .filter(({ text }) => text === null || !/^-./.test(text))
    .map(({ pattern }) => pattern);
  switch (name) {
    case 'find':
    case 'fd':
    case 'fdfind':
      return predictFileSearchOutput(name, args);
    case 'ls':
    case 'dir':
      return predictListedNames(operands);
    case 'echo':
    case 'printf':
      return args.some(({ glob }) => glob)
        ? args.filter(({ glob }) => glob).map(({ pattern }) => pattern)
        : [];
    case 'grep':
    case 'egrep':
    case 'rg':
      return input === null || input.text !== null
        ? []
        : (convertGrepPatternToLineGlobs(args) ?? input.names);
    case 'head':
    case 'tail':
    case 'sort':
    case 'uniq':
    case 'cat':
      return input !== null && readsOnlyInput('head', operandsWithoutNumbers(args)) ? input.names : [];
    case 'git':
      return args[0]?.text === 'ls-files' ? operands.slice(1) : [];
    default:
      return [];
  }
}

function operandsWithoutNumbers(args: readonly ShellWord[]): readonly ShellWord[] {
  return args.filter(({ text }) => !/^\d+$/.test(text ?? ''));
}

/**
 * `ls dir` prints the names in a directory, without its path. It is unknown whether `dir` is a file or a
 * directory.
 */
function predictListedNames(operands: readonly string[]): readonly string[] {
  return operands.flatMap((pattern) => {
    if (isUnknownPattern(pattern) || !/[\uE001-\uE005]|(?:^|\/)\.\w/.test(pattern)) return [];
    return /[\uE001-\uE005]/.test(pattern) ? [pattern] : [ANY_TEXT_WILDCARD, pattern];
  });
}

/** Returns the paths that `find` or `fd` may print, such as the search directories with the pattern of `-name`. */
export function predictFileSearchOutput(name: string, args: readonly ShellWord[]): readonly string[] {
  const words = args.map(({ text, pattern }) => ({ text: text ?? '', pattern }));
  const first = words.findIndex(({ text }) => /^[-(!]/.test(text));
  if (name !== 'find') {
    const [pattern] = words.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text);
    const names =
      pattern === undefined ? null : convertGrepPatternToLineGlobs([{ ...EMPTY_SHELL_WORD, text: pattern }]);
    return names ? names.map((one) => `${ANY_TEXT_WILDCARD}${one.replace(/^\uE000/, '')}`) : [];
  }
  const roots = words.slice(0, first === -1 ? undefined : first).map(({ pattern }) => pattern);
  const wanted = words.flatMap(({ text }, at) =>
    /^-i?(?:name|path|wholename)$/.test(text) ? (words[at + 1]?.text ?? []) : [],
  );
  const expressions = words.flatMap(({ text }, at) =>
    /^-i?regex$/.test(text) ? [`^${words[at + 1]?.text ?? ''}$`] : [],
  );
  const matched = expressions.flatMap((text) => convertGrepPatternToLineGlobs([{ text }]) ?? []);
  if (matched.length > 0) return matched;
  const names = wanted.map((text) =>
    text.replaceAll('*', ANY_TEXT_WILDCARD).replaceAll(/\[[^\]]*\]|\?/g, '\uE002'),
  );
  return (roots.length === 0 ? ['.'] : roots).flatMap((root) => {
    if (names.length === 0) return [root, `${root}/${ANY_TEXT_WILDCARD}`];
    return names.flatMap((one) => [`${root}/${one}`, `${root}/${ANY_TEXT_WILDCARD}/${one}`]);
  });
}

/** The constant output of a command. Null if it is unknown. */
function predictConstantOutput(
  name: string,
  args: readonly ShellWord[],
  input: string | null,
): string | null {
  const texts: string[] = [];
  for (const { text, glob } of args) {
    // In some shells and formats, `\c` ends the output.
    if (text === null || glob || text.includes('\\c')) return null;
    texts.push(text);
  }
  switch (name) {
    case 'echo':
      return echoOutput(texts);
    case 'printf':
      return printfOutput(texts);
    case 'cat':
    case 'tee':
      return texts.every((text) => text === '-') ? input : null;
    case 'base64':
      return texts.some((text) => /^(?:-\w*[dD]|--decode)$/.test(text)) ? decodeInput(input, 'base64') : null;
    case 'openssl':
      return texts.includes('base64') && texts.includes('-d') ? decodeInput(input, 'base64') : null;
    case 'xxd':
      // Without `-p`, the input is a dump with offsets.
      return ['r', 'p'].every((letter) =>
        texts.some((text) => /^-[rp]+$/.test(text) && text.includes(letter)),
      )
        ? decodeInput(input, 'hex')
        : null;
    case 'rev':
      return input === null ? null : input.replaceAll(/[^\n]+/g, (line) => [...line].reverse().join(''));
    case 'tr':
      return input === null ? null : translateCharacters(input, texts);
    case 'basename':
      return baseName(texts);
    case 'dirname':
      return texts.length === 1 ? (texts[0] ?? '').replace(/\/?[^/]*\/*$/, '') || '.' : null;
    case 'realpath':
    case 'readlink':
      return texts.filter((text) => !text.startsWith('-')).at(-1) ?? null;
    case 'which':
    case 'type':
      return texts.at(-1) ?? null;
    case 'command':
      return texts[0] === '-v' ? (texts[1] ?? null) : null;
    case 'mktemp':
      // An example: the random part differs. A template or a directory determines another path.
      return texts.every((text) => /^(?:-[dqu]+|--(?:directory|quiet|dry-run))$/.test(text))
        ? '/tmp/tmp.XXXXXXXXXX'
        : null;
    case 'pwd':
      return '.';
    default:
      return null;
  }
}

function baseName([path = '', suffix = '', ...more]: readonly string[]): string | null {
  if (path.startsWith('-') || more.length > 0) return null;
  const name = path.replace(/\/+$/, '').replace(/^.*\//s, '');
  return name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name;
}

/** Evaluates `tr a-z A-Z` and similar commands with sets and ranges of characters. */
function translateCharacters(input: string, words: readonly string[]): string | null {
  const [from, to] = words;
  if (from === undefined || to === undefined || words.length > 2 || from.startsWith('-')) return null;
  const [source, target] = [from, to].map(expandCharacterSet);
  if (!source || !target || source.length > 200) return null;
  return [...input]
    .map((char) => {
      const at = source.indexOf(char);
      return at === -1 ? char : (target[Math.min(at, target.length - 1)] ?? '');
    })
    .join('');
}

function expandCharacterSet(set: string): readonly string[] | null {
  if (/[[\\]/.test(set)) return null;
  return [...set.matchAll(/(.)-(.)|(.)/gs)].flatMap(([, from, to, single]) => {
    if (single !== undefined) return [single];
    const [first, last] = [from?.codePointAt(0) ?? 0, to?.codePointAt(0) ?? 0];
    return Array.from({ length: Math.max(0, Math.min(last - first + 1, 200)) }, (_, n) =>
      String.fromCodePoint(first + n),
    );
  });
}

function echoOutput(texts: readonly string[]): string {
  const options = texts.findIndex((text) => !/^-[neE]+$/.test(text));
  const words = options === -1 ? [] : texts.slice(options);
  const interprets = texts.slice(0, Math.max(0, options)).some((text) => text.includes('e'));
  const line = words.join(' ');
  const end = texts.slice(0, Math.max(0, options)).some((text) => text.includes('n')) ? '' : '\n';
  return (interprets ? escaped(line) : line) + end;
}

function printfOutput(texts: readonly string[]): string | null {
  const [format, ...values] = texts[0] === '--' ? texts.slice(1) : texts;
  if (format === undefined || format.startsWith('-')) return null;
  const parts: readonly string[] = format.match(/%%|%[sb]?|[^%]+/g) ?? [];
  if (parts.includes('%')) return null;
  const isRepeated = parts.some((part) => /^%[sb]$/.test(part));
  let out = '';
  let at = 0;
  // The format is repeated until all values are used.
  do {
    for (const part of parts) {
      if (part === '%s') out += values[at++] ?? '';
      else if (part === '%b') out += escaped(values[at++] ?? '');
      else out += part === '%%' ? '%' : escaped(part);
    }
  } while (isRepeated && at < values.length && out.length <= MAX_CODE_CHARS);
  return out;
}

const ENCODED_TEXTS = {
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$/,
  hex: /^(?:[0-9a-fA-F]{2})*$/,
};

/** Null for text that decoders treat differently, such as text after the padding. */
function decodeInput(input: string | null, encoding: 'base64' | 'hex'): string | null {
  const text = input?.replaceAll('\n', '');
  if (text === undefined || !ENCODED_TEXTS[encoding].test(text)) return null;
  return Buffer.from(text, encoding).toString('utf8');
}

/** Returns the combined output of several commands. Null if there are none. */
export function joinCommandOutputs(outputs: readonly CommandOutput[]): CommandOutput | null {
  const [first] = outputs;
  if (!first || outputs.length === 1) return first ?? null;
  const texts = outputs.map(({ text }) => text);
  const names = outputs.flatMap((one) => one.names);
  if (texts.every((text) => text !== null)) return limitOutput(texts.join(''), names);
  return { text: null, names, unknown: outputs.find(({ text }) => text === null)?.unknown ?? 'computed' };
}
