import { findPatchedFiles } from '../patch-files.ts';
import type { ShellRedirect } from './command.ts';
import { predictFileSearchOutput } from './command-output.ts';
import { unescapePrintf } from './escapes.ts';
import { type OptionSyntax, type ParsedOption, parseCommandOptions } from './parse-options.ts';
import { findPositionalArguments } from './positional-arguments.ts';
import { type CommandInput, createLiteralWord, createUnknownWord, type ShellWord } from './shell-word.ts';

const MAX_LINES = 16;
const FILLING_PROGRAMS = /^(?:xargs|find|parallel|fd|fdfind|entr)$/;

/**
 * Predicts the arguments that `xargs`, `find` and `parallel` pass to a command: one list per call.
 */
export function predictArguments(
  name: string,
  args: readonly ShellWord[],
  words: readonly ShellWord[],
  input: CommandInput | null,
): readonly (readonly ShellWord[])[] {
  const [first] = words;
  if (!FILLING_PROGRAMS.test(name) || !first) return [words];
  // `find` may have further arguments after the command.
  const own = name === 'find' ? args : args.slice(0, Math.max(0, args.indexOf(first)));
  const syntax = Object.hasOwn(INPUT_OPTIONS, name) ? INPUT_OPTIONS[name] : undefined;
  const options = syntax === undefined ? [] : parseCommandOptions(args, syntax).options;
  const token = findPlaceholder(name, options);
  const cut = name === 'parallel' ? words.findIndex(({ text }) => /^:::/.test(text ?? '')) : -1;
  const kept = cut === -1 ? words : words.slice(0, cut);
  const found = syntax
    ? readValues(options, input, first)
    : createFileNameWords(predictFileSearchOutput(name, own), first);
  const values = cut === -1 ? found : words.slice(cut + 1);
  const inserted = name === 'xargs' ? options.findLast(({ letter }) => letter === 'J')?.value?.text : null;
  const at = inserted == null ? -1 : kept.findIndex(({ text }) => text === inserted);
  // `xargs -J % git % origin` puts all values where the first `%` is.
  if (at !== -1) return [[...kept.slice(0, at), ...values.flatMap(splitWord), ...kept.slice(at + 1)]];
  const isNamed = token !== null && kept.some(({ text }) => text?.includes(token));
  if (!isNamed) {
    const isAppended = name === 'xargs' ? token === null : /^(?:parallel|fd|fdfind)$/.test(name);
    const isSplit = findSeparator(options) === null;
    return [isAppended ? [...kept, ...(isSplit ? values.flatMap(splitWord) : values)] : kept];
  }
  const each = values.slice(0, MAX_LINES);
  return (each.length === 0 ? [createUnknownValue(first)] : each).map((value) =>
    kept.map((word) => (word.text?.includes(token) ? replaceToken(word, token, value) : word)),
  );
}

/** The options of programs that build commands from their input. */
const INPUT_OPTIONS: Readonly<Record<string, OptionSyntax>> = {
  xargs: {
    values: 'adEIJLnPRsS',
    attached: 'eil',
    long: {
      '--arg-file': 'a',
      '--delimiter': 'd',
      '--null': '0',
      '--replace': 'i',
      '--max-args': 'n',
      '--max-procs': 'P',
      '--max-chars': 's',
      '--max-lines': 'l',
      '--process-slot-var': 'n',
    },
  },
  parallel: {
    values: 'jaINSCdELnsP',
    attached: 'i',
    long: { '--arg-file': 'a', '--delimiter': 'd', '--null': '0', '--replace': 'i', '--jobs': 'j' },
  },
  entr: { values: '', long: {} },
};

/** The placeholder that a program replaces. Null if it appends the values. The last option applies. */
function findPlaceholder(name: string, options: readonly ParsedOption[]): string | null {
  if (name === 'entr') return '/_';
  const option = options.findLast(({ letter }) => /[Ii]/.test(letter));
  if (option) return option.value?.text || '{}';
  return name === 'xargs' ? null : '{}';
}

/** What separates the values in the input. Null if they are separated by blanks. The last option applies. */
function findSeparator(options: readonly ParsedOption[]): string | null {
  const option = options.findLast(({ letter }) => /[0d]/.test(letter));
  if (option?.letter === '0') return '\0';
  const text = option?.value?.text ?? null;
  return text === null ? null : unescapePrintf(text).charAt(0) || '\0';
}

/** Splits a value as `xargs` does: at blanks that are not quoted. */
function splitWord(word: ShellWord): ShellWord[] {
  const words = word.text?.match(/(?:\\[\s\S]|'[^']*'|"[^"]*"|[^\s\\])+/g);
  return words?.map((text) => createLiteralWord(withoutQuotes(text), word)) ?? [word];
}

function withoutQuotes(text: string): string {
  return text.replaceAll(/\\([\s\S])|'([^']*)'|"([^"]*)"/g, (_, ...parts) =>
    parts.find((part) => part !== undefined),
  );
}

function replaceToken(word: ShellWord, token: string, value: ShellWord): ShellWord {
  if (word.text === token) return value;
  const text = word.text ?? '';
  const filledIn = value.text === null ? null : text.replaceAll(token, value.text);
  return {
    ...word,
    text: filledIn,
    certain: false,
    prefix: text.slice(0, text.indexOf(token)),
    pattern: text.replaceAll(token, value.pattern),
    unknown: value.unknown,
  };
}

/** The values that a program reads: lines of its input, or other parts of it. */
function readValues(
  options: readonly ParsedOption[],
  input: CommandInput | null,
  place: ShellWord,
): readonly ShellWord[] {
  if (input === null || options.some(({ letter }) => letter === 'a')) return [createUnknownValue(place)];
  const { text, names, unknown } = input.printed;
  const separator = findSeparator(options);
  if (text !== null)
    return text
      .split(separator ?? /[\n\0]+/)
      .flatMap((value) => (value.trim() === '' ? [] : [createLiteralWord(value.trim(), place)]));
  return names.length > 0 ? createFileNameWords(names, place) : [{ ...createUnknownValue(place), unknown }];
}

/**
 * Creates words for the names of files that a command found. They cannot be options, because they
 * start with the searched directory.
 */
export function createFileNameWords(names: readonly string[], place: ShellWord): readonly ShellWord[] {
  return names.map((pattern) => ({
    ...createUnknownValue(place),
    pattern,
    glob: true,
    splits: false,
    unknown: 'program' as const,
  }));
}

/**
 * Predicts which files a command accesses because its input names them. With `cpio -o` or `tar -T -`, these are
 * the files that the command reads. With a patch, these are the files that the patch changes. The arguments can
 * also contain the patch.
 */
export function findFilesNamedByInput(
  name: string,
  args: readonly ShellWord[],
  input: CommandInput | null,
): ShellRedirect[] {
  const texts = args.map(({ text }) => text ?? '');
  if (isPatchCommand(name, args)) return findPatchWrites([...texts, input?.printed.text ?? ''].join('\n'));
  const isNamed = /^(?:tar|bsdtar|rsync|wc|sort|du|zip|7z)$/.test(name)
    ? texts.some((text) => /^(?:-T|-@|--files-from|--files0-from|-i)(?:=?-)?$/.test(text)) ||
      texts.some((text) => /^-?\w*T$/.test(text))
    : /^(?:cpio|pax)$/.test(name);
  if (!isNamed || input === null) return [];
  const place = { start: 0, end: 0 };
  const { text, names } = input.printed;
  const lines = text?.split(/[\n\0]+/).filter((line) => line.trim() !== '') ?? [];
  const words = [
    ...lines.map((line) => createLiteralWord(line.trim(), place)),
    ...createFileNameWords(names, createLiteralWord('', place)),
  ];
  return words.map((target) => ({ operator: '<', target }));
}

/** Options with which a program only shows or checks a patch. */
const PATCH_CHECK_OPTION = /^--(?:check|dry-run|(?:num)?stat|summary)$/;

function isPatchCommand(name: string, args: readonly ShellWord[]): boolean {
  const isApplied = args.some(({ text }) => text === '--apply');
  if (!isApplied && args.some(({ text }) => PATCH_CHECK_OPTION.test(text ?? ''))) return false;
  if (name !== 'git') return /^(?:patch|apply_?patch)$/.test(name);
  return /^(?:apply|am)$/.test(findPositionalArguments(name, args)[0]?.word.text ?? '');
}

function findPatchWrites(patch: string): ShellRedirect[] {
  const place = { start: 0, end: 0 };
  return [...findPatchedFiles(patch).keys()].map((path) => ({
    operator: '>',
    target: createLiteralWord(path, place),
  }));
}

function createUnknownValue(place: ShellWord): ShellWord {
  return { ...createUnknownWord(place), splits: true, unknown: 'data' };
}
