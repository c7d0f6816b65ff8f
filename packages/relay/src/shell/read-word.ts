import { buildShellWords } from './build-shell-words.ts';
import { unescapeAnsiC, unescapeDoubleQuoted } from './escapes.ts';
import { expandParameter } from './expand-parameter.ts';
import type { SyntaxNode } from './shell-parser.ts';
import type { ShellScope } from './shell-scope.ts';
import {
  type CommandOutput,
  isTooLong,
  MAX_EXPANDED_WORDS,
  type ShellWord,
  type WordSegment,
} from './shell-word.ts';

/** The context for reading the words in code. */
export interface WordReadContext {
  readonly text: string;
  readonly scope: ShellScope;
  /** Predicts the output of a substitution. */
  outputOf(node: SyntaxNode): CommandOutput;
}

/** Returns the words that a word node produces, usually one. */
export function readShellWords(node: SyntaxNode, source: WordReadContext): ShellWord[] {
  const { dotglob, separators } = source.scope;
  const words = wordSegmentLists(node, source);
  const process = processSubstitutionOutput(node, source);
  return words.flatMap((one) => buildShellWords(one, node, { process, dotglob, separators }));
}

/**
 * Returns an assigned value. Assigned values are not split, and braces in them are not expanded.
 */
export function readAssignedValue(
  node: SyntaxNode | undefined,
  source: WordReadContext,
): readonly WordSegment[] {
  if (!node) return [];
  return readSegments(node, source, true).map((piece) =>
    piece.text !== null && piece.certain && !piece.quoted ? { ...piece, quoted: true } : piece,
  );
}

/** Returns the combined text of segments. Null if a part is unknown, or if the text is too long. */
export function joinSegmentTexts(pieces: readonly WordSegment[]): string | null {
  if (isTooLong(pieces) || pieces.some(({ text }) => text === null)) return null;
  return pieces.map(({ text }) => text).join('');
}

function processSubstitutionOutput(node: SyntaxNode, source: WordReadContext): CommandOutput | null {
  if (node.type === 'process_substitution') return source.outputOf(node);
  if (node.type !== 'concatenation') return null;
  const inner = node.children.find(({ type }) => type === 'process_substitution');
  return inner ? source.outputOf(inner) : null;
}

/** `"$@"` and `"${a[@]}"` become one word per element. */
function wordSegmentLists(given: SyntaxNode, source: WordReadContext): readonly (readonly WordSegment[])[] {
  const [child] = given.children;
  const node = given.type === 'command_name' && given.children.length === 1 && child ? child : given;
  const [only] = node.children.filter(({ type }) => type !== '"');
  const isString = node.type === 'string' && node.children.length === 3;
  const expansion = isString ? only : node;
  if (expansion && /^(?:simple_)?expansion$/.test(expansion.type)) {
    const text = source.text.slice(expansion.start, expansion.end);
    if (/^\$[@*]$|^\$\{(?:[@*]|\w+\[[@*]\])[^}]*\}$/.test(text))
      return limitWords(expandParameter(text, source.scope)).map((pieces) =>
        pieces.map((piece) => ({ ...piece, quoted: isString, certain: false })),
      );
  }
  return [readSegments(node, source, false)];
}

/** Keeps the first words, and replaces the others with an unknown word. */
function limitWords(words: readonly (readonly WordSegment[])[]): readonly (readonly WordSegment[])[] {
  if (words.length <= MAX_EXPANDED_WORDS) return words;
  const rest: WordSegment = { text: null, quoted: true, certain: false, unknown: 'computed' };
  return [...words.slice(0, MAX_EXPANDED_WORDS - 1), [rest]];
}

function readSegments(node: SyntaxNode, source: WordReadContext, quoted: boolean): WordSegment[] {
  const text = source.text.slice(node.start, node.end);
  switch (node.type) {
    case 'raw_string':
      return [literalSegment(text.slice(1, -1))];
    case 'ansi_c_string':
      return [literalSegment(unescapeAnsiC(text.slice(2, -1)))];
    case 'string':
    case 'translated_string':
      return readString(node, source);
    case 'word':
    case 'number':
    case 'command_name':
    case 'concatenation':
      return readConcatenation(node, source, quoted);
    case 'simple_expansion':
    case 'expansion':
      return expandSegments(text, source.scope, quoted);
    case 'command_substitution':
      return substitutionSegments(source.outputOf(node), quoted);
    case 'arithmetic_expansion':
      return [{ text: null, quoted: true, certain: false, unknown: 'program' }];
    case 'process_substitution':
      return [literalSegment('/dev/fd/63')];
    default:
      return node.children.length === 0
        ? readUnquoted(text, quoted, source.scope)
        : [{ text: null, quoted: false, certain: false }];
  }
}

function literalSegment(text: string): WordSegment {
  return { text, quoted: true, certain: true };
}

function substitutionSegments({ text, names, unknown }: CommandOutput, quoted: boolean): WordSegment[] {
  const [first] = names;
  if (text === null && first !== undefined)
    return [{ text: first, quoted, certain: false, names: true, unknown }];
  return [{ text: text?.replace(/(?<!\n)\n+$/, '') ?? null, quoted, certain: false, unknown }];
}

/** Treats the unquoted `$F` as possible options, because it is often used for them. */
function optionVariable(text: string, { unknown }: WordSegment, quoted: boolean): Partial<WordSegment> {
  return !quoted && unknown === 'variable' && /^\$\{?[A-Za-z]\}?$/.test(text) ? { unknown: 'options' } : {};
}

/** Expands a parameter to segments. The elements of an array are joined. */
function expandSegments(text: string, scope: ShellScope, quoted: boolean): WordSegment[] {
  const words = expandParameter(text, scope);
  if (words.length === 0) return [{ text: '', quoted, certain: false }];
  return words.flatMap((pieces, n) => [
    ...(n > 0 ? [{ text: ' ', quoted, certain: false }] : []),
    ...pieces.map((piece) => ({ ...piece, ...optionVariable(text, piece, quoted), quoted, certain: false })),
  ]);
}

/** Reads the parts of a concatenation. Text between them is plain text. */
function readConcatenation(node: SyntaxNode, source: WordReadContext, quoted: boolean): WordSegment[] {
  const pieces: WordSegment[] = [];
  let at = node.start;
  for (const child of node.children) {
    const before = source.text.slice(at, child.start);
    // `$"…"` is a translatable string.
    const plain = child.type === 'string' ? before.replace(/\$$/, '') : before;
    if (plain !== '') pieces.push(...readUnquoted(plain, quoted, source.scope));
    pieces.push(...readSegments(child, source, quoted));
    at = child.end;
  }
  if (node.end > at) pieces.push(...readUnquoted(source.text.slice(at, node.end), quoted, source.scope));
  return pieces;
}

/** Reads a double-quoted string. Only expansions in it are special, whatever node types the grammar uses. */
function readString({ start, end, children }: SyntaxNode, source: WordReadContext): WordSegment[] {
  const inner = children.find(({ type }) => type === 'string');
  if (inner) return readString(inner, source);
  const pieces: WordSegment[] = [];
  const open = source.text.charAt(start) === '$' ? start + 2 : start + 1;
  let at = open;
  for (const child of children) {
    if (!/(?:expansion|substitution)$/.test(child.type)) continue;
    pieces.push(literalSegment(unescapeDoubleQuoted(source.text.slice(at, child.start))));
    pieces.push(...readSegments(child, source, true));
    at = child.end;
  }
  pieces.push(literalSegment(unescapeDoubleQuoted(source.text.slice(at, end - 1))));
  return pieces.filter(({ text, certain }) => text !== '' || !certain || pieces.length === 1);
}

/**
 * Reads unquoted text. A backslash quotes the next character, and a line continuation is removed. The grammar
 * parses some expansions as text: `-rf$IFS` after another expansion.
 */
function readUnquoted(text: string, quoted: boolean, scope: ShellScope): WordSegment[] {
  const pieces: WordSegment[] = [];
  for (const [whole, escaped, parameter] of text.matchAll(UNQUOTED)) {
    if (parameter !== undefined) pieces.push(...expandSegments(parameter, scope, quoted));
    else if (escaped === undefined) pieces.push({ text: whole, quoted, certain: true });
    else if (escaped !== '\n') pieces.push(literalSegment(escaped));
  }
  return pieces.length === 0 ? [{ text: '', quoted, certain: true }] : pieces;
}

const UNQUOTED = /\\([\s\S])|(\$(?:\w+|[@*#?$!-]|\{[^}]*\}))|[^\\$]+|[\\$]/g;
