import { ansiC, inDoubleQuotes } from './escapes.ts';
import type { Scope } from './scope.ts';
import type { Node } from './tree.ts';
import { type Piece, type Word, wordsOf } from './word.ts';

/** What words of a text are read with. */
export interface WordSource {
  readonly text: string;
  readonly scope: Scope;
  /** What a command substitution prints, when it is a constant. */
  outputOf(node: Node): string | null;
}

/** The words that the node of one word becomes; mostly one. */
export function readWords(node: Node, source: WordSource): Word[] {
  return wordsOf(piecesOf(node, source, false), node, hasProcess(node));
}

/** The value that is assigned: never split, braces not expanded. */
export function readValue(node: Node | undefined, source: WordSource): string | null {
  if (!node) return '';
  const pieces = piecesOf(node, source, true);
  return pieces.some(({ text }) => text === null) ? null : pieces.map(({ text }) => text).join('');
}

function hasProcess({ type, children }: Node): boolean {
  return type === 'process_substitution' || (type === 'concatenation' && children.some(hasProcess));
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
      return [{ text: expansion(text, source.scope), quoted, certain: false }];
    case 'command_substitution':
      return [{ text: source.outputOf(node), quoted, certain: false }];
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

/** Parts one after the other; what stands between them in the text is text. */
function between(node: Node, source: WordSource, quoted: boolean): Piece[] {
  const pieces: Piece[] = [];
  let at = node.start;
  for (const child of node.children) {
    if (child.start > at) pieces.push(...unquoted(source.text.slice(at, child.start), quoted, source.scope));
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
    if (parameter !== undefined) pieces.push({ text: expansion(parameter, scope), quoted, certain: false });
    else if (escaped === undefined) pieces.push({ text: whole, quoted, certain: true });
    else if (escaped !== '\n') pieces.push(known(escaped));
  }
  return pieces.length === 0 ? [{ text: '', quoted, certain: true }] : pieces;
}

const UNQUOTED = /\\([\s\S])|(\$(?:\w+|[@*#?$!-]|\{[^}]*\}))|[^\\$]+|[\\$]/g;
const PARAMETER = /^\$(?:\{(\w+|[@*])\}|(\w+|[@*]))$/;
const DEFAULT = /^\$\{(\w+):?([-=+])([^${}`"'\\]*)\}$/;

function expansion(text: string, scope: Scope): string | null {
  // `$1m` is the first argument and an m.
  const [, digit = '', rest] = /^\$([0-9])(\w+)$/.exec(text) ?? [];
  if (rest !== undefined) return `${scope.guess(digit) ?? ''}${rest}`;
  const [, braced, bare] = PARAMETER.exec(text) ?? [];
  const name = braced ?? bare;
  if (name !== undefined) return scope.guess(name);
  // `${IFS%??}` and the like are still blanks.
  if (/^\$\{IFS\b/.test(text)) return ' ';
  const [, variable = '', operator, otherwise = ''] = DEFAULT.exec(text) ?? [];
  if (operator === undefined) return null;
  return operator === '+' ? otherwise : (scope.guess(variable) ?? otherwise);
}
