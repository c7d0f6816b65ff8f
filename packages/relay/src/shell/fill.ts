import type { Redirect } from './command.ts';
import { foundNames } from './output.ts';
import type { Input } from './redirects.ts';
import { plainWord, type Word } from './word.ts';

const MOST_LINES = 16;
const FILLS = /^(?:xargs|find|parallel|fd|fdfind|entr)$/;

/**
 * The words that `xargs`, `find` and `parallel` run a command with: one list for each time, as far as it can be told
 * what they put in.
 */
export function filled(
  name: string,
  args: readonly Word[],
  words: readonly Word[],
  input: Input | null,
): readonly (readonly Word[])[] {
  const [first] = words;
  if (!FILLS.test(name) || !first) return [words];
  // `find` goes on after the command that it runs.
  const own = name === 'find' ? args : args.slice(0, Math.max(0, args.indexOf(first)));
  const token = name === 'xargs' ? replacement(own) : name === 'entr' ? '/_' : '{}';
  const cut = name === 'parallel' ? words.findIndex(({ text }) => /^:::/.test(text ?? '')) : -1;
  const kept = cut === -1 ? words : words.slice(0, cut);
  const values = cut === -1 ? valuesFor(name, own, input, first) : words.slice(cut + 1);
  const isNamed = token !== null && kept.some(({ text }) => text?.includes(token));
  if (!isNamed) {
    const isAppended = name === 'xargs' ? token === null : /^(?:parallel|fd|fdfind)$/.test(name);
    return [isAppended ? [...kept, ...values.flatMap(split)] : kept];
  }
  const each = values.slice(0, MOST_LINES);
  return (each.length === 0 ? [unknownWord(first)] : each).map((value) =>
    kept.map((word) => (word.text?.includes(token) ? replaced(word, token, value) : word)),
  );
}

function split(word: Word): Word[] {
  if (word.text === null || !/\s/.test(word.text)) return [word];
  return word.text.split(/\s+/).flatMap((text) => (text === '' ? [] : [plainWord(text, word)]));
}

function replaced(word: Word, token: string, value: Word): Word {
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

/** What is put in: lines of the input, or names of files that were found. */
function valuesFor(name: string, own: readonly Word[], input: Input | null, place: Word): readonly Word[] {
  if (name === 'find' || name === 'fd' || name === 'fdfind') return nameWords(foundNames(name, own), place);
  const fromFile = own.some(({ text }) => /^(?:-a|--arg-file)/.test(text ?? ''));
  if (input === null || fromFile) return [unknownWord(place)];
  const { text, names, unknown } = input.printed;
  if (text !== null)
    return text
      .split(/[\n\0]+/)
      .flatMap((line) => (line.trim() === '' ? [] : [plainWord(line.trim(), place)]));
  return names.length > 0 ? nameWords(names, place) : [{ ...unknownWord(place), unknown }];
}

/** Files that were found are never options: their names begin with where was looked. */
export function nameWords(names: readonly string[], place: Word): readonly Word[] {
  return names.map((pattern) => ({
    ...unknownWord(place),
    pattern,
    glob: true,
    splits: false,
    unknown: 'own' as const,
  }));
}

/** Files that a program reads because its input names them: `cpio -o`, `tar -T -`. */
export function namesRead(name: string, args: readonly Word[], input: Input | null): Redirect[] {
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
    ...lines.map((line) => plainWord(line.trim(), place)),
    ...nameWords(names, plainWord('', place)),
  ];
  return words.map((target) => ({ operator: '<', target }));
}

function unknownWord(place: Word): Word {
  return {
    ...plainWord('', place),
    text: null,
    certain: false,
    pattern: '\uE000',
    splits: true,
    unknown: 'data',
  };
}

/** The word that `xargs` replaces, from its own options; null when it appends. */
function replacement(args: readonly Word[]): string | null {
  for (const [at, { text }] of args.entries()) {
    const [, attached] = /^(?:-[iI]|--replace=?)(.*)$/.exec(text ?? '') ?? [];
    if (attached === undefined) continue;
    if (attached !== '') return attached;
    return text === '-I' ? (args[at + 1]?.text ?? '{}') : '{}';
  }
  return null;
}
