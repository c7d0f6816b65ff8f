import type { ShellRedirect } from './command.ts';
import { predictFindOutput } from './command-output.ts';
import type { CommandInput } from './redirects.ts';
import { createLiteralWord, type ShellWord } from './shell-word.ts';

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
  const token = name === 'xargs' ? replacementToken(own) : name === 'entr' ? '/_' : '{}';
  const cut = name === 'parallel' ? words.findIndex(({ text }) => /^:::/.test(text ?? '')) : -1;
  const kept = cut === -1 ? words : words.slice(0, cut);
  const values = cut === -1 ? findValues(name, own, input, first) : words.slice(cut + 1);
  const isNamed = token !== null && kept.some(({ text }) => text?.includes(token));
  if (!isNamed) {
    const isAppended = name === 'xargs' ? token === null : /^(?:parallel|fd|fdfind)$/.test(name);
    return [isAppended ? [...kept, ...(isSplitAtBlanks(own) ? values.flatMap(splitWord) : values)] : kept];
  }
  const each = values.slice(0, MAX_LINES);
  return (each.length === 0 ? [createUnknownWord(first)] : each).map((value) =>
    kept.map((word) => (word.text?.includes(token) ? replaceToken(word, token, value) : word)),
  );
}

/** `xargs` splits its input at blanks, unless an option sets the separator. */
function isSplitAtBlanks(own: readonly ShellWord[]): boolean {
  return !own.some(({ text }) => /^(?:-[a-zA-Z]*0|-d|--null$|--delimiter)/.test(text ?? ''));
}

function splitWord(word: ShellWord): ShellWord[] {
  if (word.text === null || !/\s/.test(word.text)) return [word];
  return word.text.split(/\s+/).flatMap((text) => (text === '' ? [] : [createLiteralWord(text, word)]));
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

/** The inserted values: lines of the input, or names of files that were found. */
function findValues(
  name: string,
  own: readonly ShellWord[],
  input: CommandInput | null,
  place: ShellWord,
): readonly ShellWord[] {
  if (name === 'find' || name === 'fd' || name === 'fdfind')
    return createFileNameWords(predictFindOutput(name, own), place);
  const fromFile = own.some(({ text }) => /^(?:-a|--arg-file)/.test(text ?? ''));
  if (input === null || fromFile) return [createUnknownWord(place)];
  const { text, names, unknown } = input.printed;
  if (text !== null)
    return text
      .split(/[\n\0]+/)
      .flatMap((line) => (line.trim() === '' ? [] : [createLiteralWord(line.trim(), place)]));
  return names.length > 0 ? createFileNameWords(names, place) : [{ ...createUnknownWord(place), unknown }];
}

/**
 * Creates words for the names of files that a command found. They cannot be options, because they
 * start with the searched directory.
 */
export function createFileNameWords(names: readonly string[], place: ShellWord): readonly ShellWord[] {
  return names.map((pattern) => ({
    ...createUnknownWord(place),
    pattern,
    glob: true,
    splits: false,
    unknown: 'program' as const,
  }));
}

/**
 * Predicts the files that a program reads because its input lists them, as with `cpio -o` and `tar
 * -T -`.
 */
export function findFilesNamedByInput(
  name: string,
  args: readonly ShellWord[],
  input: CommandInput | null,
): ShellRedirect[] {
  const texts = args.map(({ text }) => text ?? '');
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

function createUnknownWord(place: ShellWord): ShellWord {
  return {
    ...createLiteralWord('', place),
    text: null,
    certain: false,
    pattern: '\uE000',
    splits: true,
    unknown: 'data',
  };
}

/** The placeholder of `xargs`, from its own options. Null if it appends the values. */
function replacementToken(args: readonly ShellWord[]): string | null {
  for (const [at, { text }] of args.entries()) {
    const [, attached] = /^(?:-[iI]|--replace=?)(.*)$/.exec(text ?? '') ?? [];
    if (attached === undefined) continue;
    if (attached !== '') return attached;
    return text === '-I' ? (args[at + 1]?.text ?? '{}') : '{}';
  }
  return null;
}
