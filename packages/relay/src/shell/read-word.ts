import { ansiC, inDoubleQuotes } from './escapes.ts';
import { expand } from './expansion.ts';
import type { Scope } from './scope.ts';
import type { Node } from './tree.ts';
import { MOST_WORDS, type Piece, type Printed, type Word, wordsOf } from './word.ts';

/** What words of a text are read with. */
export interface WordSource {
  readonly text: string;
  readonly scope: Scope;
  /** What the commands of a substitution print. */
  outputOf(node: Node): Printed;
}

/** The words that the node of one word becomes; mostly one. */
export function readWords(node: Node, source: WordSource): Word[] {
  const { dotglob } = source.scope;
  const words = wordPieces(node, source);
  const process = processIn(node, source);
  return words.flatMap((one) => wordsOf(one, node, { process, dotglob }));
}

/** The value that is assigned: never split, braces not expanded. */
export function readValue(node: Node | undefined, source: WordSource): readonly Piece[] {
  if (!node) return [];
  return piecesOf(node, source, true).map((piece) =>
    piece.text !== null && piece.certain && !piece.quoted ? { ...piece, quoted: true } : piece,
  );
}

/** The text of pieces; null when a part of it is not known. */
export function textOf(pieces: readonly Piece[]): string | null {
  return pieces.some(({ text }) => text === null) ? null : pieces.map(({ text }) => text).join('');
}

function processIn(node: Node, source: WordSource): Printed | null {
  if (node.type === 'process_substitution') return source.outputOf(node);
  if (node.type !== 'concatenation') return null;
  const inner = node.children.find(({ type }) => type === 'process_substitution');
  return inner ? source.outputOf(inner) : null;
}

/** `"$@"` and `"${a[@]}"` become as many words as they hold. */
function wordPieces(given: Node, source: WordSource): readonly (readonly Piece[])[] {
  const [child] = given.children;
  const node = given.type === 'command_name' && given.children.length === 1 && child ? child : given;
  const [only] = node.children.filter(({ type }) => type !== '"');
  const isString = node.type === 'string' && node.children.length === 3;
  const expansion = isString ? only : node;
  if (expansion && /^(?:simple_)?expansion$/.test(expansion.type)) {
    const text = source.text.slice(expansion.start, expansion.end);
    if (/^\$[@*]$|^\$\{(?:[@*]|\w+\[[@*]\])\}$/.test(text))
      return atMost(expand(text, source.scope)).map((pieces) =>
        pieces.map((piece) => ({ ...piece, quoted: isString, certain: false })),
      );
  }
  return [piecesOf(node, source, false)];
}

/** What follows more words than are looked at may be anything. */
function atMost(words: readonly (readonly Piece[])[]): readonly (readonly Piece[])[] {
  if (words.length <= MOST_WORDS) return words;
  const rest: Piece = { text: null, quoted: true, certain: false, unknown: 'made' };
  return [...words.slice(0, MOST_WORDS - 1), [rest]];
}

function piecesOf(node: Node, source: WordSource, quoted: boolean): Piece[] {
  const text = source.text.slice(node.start, node.end);
  switch (node.type) {
    case 'raw_string':
      return [known(text.slice(1, -1))];
    case 'ansi_c_string':
      return [known(ansiC(text.slice(2, -1)))];
    case 'string':
    case 'translated_string':
      return inString(node, source);
    case 'word':
    case 'number':
    case 'command_name':
    case 'concatenation':
      return between(node, source, quoted);
    case 'simple_expansion':
    case 'expansion':
      return expansion(text, source.scope, quoted);
    case 'command_substitution':
      return substituted(source.outputOf(node), quoted);
    case 'arithmetic_expansion':
      return [{ text: null, quoted: true, certain: false, unknown: 'own' }];
    case 'process_substitution':
      return [known('/dev/fd/63')];
    default:
      return node.children.length === 0
        ? unquoted(text, quoted, source.scope)
        : [{ text: null, quoted: false, certain: false }];
  }
}

function known(text: string): Piece {
  return { text, quoted: true, certain: true };
}

function substituted({ text, names, unknown }: Printed, quoted: boolean): Piece[] {
  const [first] = names;
  if (text === null && first !== undefined)
    return [{ text: first, quoted, certain: false, names: true, unknown }];
  return [{ text: text?.replace(/\n+$/, '') ?? null, quoted, certain: false, unknown }];
}

/** `$F` without quotes is as often options as it is a value. */
function optionLetter(text: string, { unknown }: Piece, quoted: boolean): Partial<Piece> {
  return !quoted && unknown === 'variable' && /^\$\{?[A-Za-z]\}?$/.test(text) ? { unknown: 'options' } : {};
}

/** The words of an array are joined where one word is wanted. */
function expansion(text: string, scope: Scope, quoted: boolean): Piece[] {
  const words = expand(text, scope);
  if (words.length === 0) return [{ text: '', quoted, certain: false }];
  return words.flatMap((pieces, n) => [
    ...(n > 0 ? [{ text: ' ', quoted, certain: false }] : []),
    ...pieces.map((piece) => ({ ...piece, ...optionLetter(text, piece, quoted), quoted, certain: false })),
  ]);
}

/** Parts one after the other; what stands between them in the text is text. */
function between(node: Node, source: WordSource, quoted: boolean): Piece[] {
  const pieces: Piece[] = [];
  let at = node.start;
  for (const child of node.children) {
    const before = source.text.slice(at, child.start);
    // `$"…"` is a string for translators.
    const plain = child.type === 'string' ? before.replace(/\$$/, '') : before;
    if (plain !== '') pieces.push(...unquoted(plain, quoted, source.scope));
    pieces.push(...piecesOf(child, source, quoted));
    at = child.end;
  }
  if (node.end > at) pieces.push(...unquoted(source.text.slice(at, node.end), quoted, source.scope));
  return pieces;
}

/** In double quotes only expansions are more than text, whatever else the grammar names there. */
function inString({ start, end, children }: Node, source: WordSource): Piece[] {
  const inner = children.find(({ type }) => type === 'string');
  if (inner) return inString(inner, source);
  const pieces: Piece[] = [];
  const open = source.text.charAt(start) === '$' ? start + 2 : start + 1;
  let at = open;
  for (const child of children) {
    if (!/(?:expansion|substitution)$/.test(child.type)) continue;
    pieces.push(known(inDoubleQuotes(source.text.slice(at, child.start))));
    pieces.push(...piecesOf(child, source, true));
    at = child.end;
  }
  pieces.push(known(inDoubleQuotes(source.text.slice(at, end - 1))));
  return pieces.filter(({ text, certain }) => text !== '' || !certain || pieces.length === 1);
}

/**
 * Backslashes quote the next character, before a line break they and it are nothing. The grammar takes some
 * expansions for text: `-rf$IFS` behind another expansion.
 */
function unquoted(text: string, quoted: boolean, scope: Scope): Piece[] {
  const pieces: Piece[] = [];
  for (const [whole, escaped, parameter] of text.matchAll(UNQUOTED)) {
    if (parameter !== undefined) pieces.push(...expansion(parameter, scope, quoted));
    else if (escaped === undefined) pieces.push({ text: whole, quoted, certain: true });
    else if (escaped !== '\n') pieces.push(known(escaped));
  }
  return pieces.length === 0 ? [{ text: '', quoted, certain: true }] : pieces;
}

const UNQUOTED = /\\([\s\S])|(\$(?:\w+|[@*#?$!-]|\{[^}]*\}))|[^\\$]+|[\\$]/g;
