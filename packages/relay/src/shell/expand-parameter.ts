import { unescapeAnsiC } from './escapes.ts';
import { MAX_CODE_CHARS } from './shell-parser.ts';
import { classifyUnknownVariable, type ShellScope, type VariableValue } from './shell-scope.ts';
import type { WordSegment } from './shell-word.ts';

/** `$name`, `$1`, `$@`; `$1m` is the first argument followed by an m. */
const BARE_PARAMETER = /^\$(?:([A-Za-z_]\w*)|([0-9])(\w*)|([@*#?$!-]))$/;
/** `${!name[index]operator…}`. */
const BRACED_PARAMETER = /^\$\{([!#]?)([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]]*)\])?([\s\S]*)\}$/;
/** Characters that make the word after an operator more than plain text. */
const ACTIVE_CHARACTERS = /[$`]/;

/** The value of an expansion: the segments of one word, or of several (`"${a[@]}"`). */
export type ExpansionResult = readonly (readonly WordSegment[])[];

/**
 * Expands `$name` or `${…}` to its probable value ("Shell Parameter Expansion" in the bash manual).
 */
export function expandParameter(text: string, scope: ShellScope): ExpansionResult {
  const [, name, digit, rest = '', special] = BARE_PARAMETER.exec(text) ?? [];
  if (name !== undefined) return lookUpValue(name, null, scope);
  if (digit !== undefined) {
    const first = lookUpValue(digit, null, scope);
    return rest === '' ? first : [[...(first[0] ?? []), { text: rest, quoted: true, certain: true }]];
  }
  if (special !== undefined)
    return /^[@*]$/.test(special) ? lookUpValue(special, null, scope) : numericResult(special);
  const [, prefix, braced = '', index = null, operation = ''] = BRACED_PARAMETER.exec(text) ?? [];
  if (prefix === undefined) return unknownResult('computed');
  if (prefix === '#') return numericResult('#');
  if (prefix === '!') return expandIndirect(braced, index, operation, scope);
  // `${IFS%??}` and similar expansions are still blanks.
  if (braced === 'IFS' && !scope.isAssigned('IFS')) return [[{ text: ' ', quoted: false, certain: false }]];
  const value = lookUpValue(braced, index, scope);
  if (operation === '') return value;
  const isList = /^[@*]$/.test(index ?? braced);
  if (isList && /^:\s*[^-=+?]/.test(operation)) return sliceWords(value, operation.slice(1), index === null);
  return applyOperator(value, operation, scope.value(braced) !== null);
}

/** The result of a parameter that is a number. The letters of `$-` are options. */
function numericResult(parameter: string): ExpansionResult {
  if (parameter === '-') return unknownResult('computed');
  return [[{ text: '1', quoted: false, certain: false }]];
}

function unknownResult(why: WordSegment['unknown']): ExpansionResult {
  return [[{ text: null, quoted: false, certain: false, ...(why && { unknown: why }) }]];
}

function singleAssignedValue(name: string, scope: ShellScope): VariableValue | null {
  const value = scope.value(name);
  if (value === null || !scope.isAssignedOnce(name)) return value;
  return value.map((pieces) => pieces.map((piece) => ({ ...piece, assignedOnce: true })));
}

function lookUpValue(name: string, index: string | null, scope: ShellScope): ExpansionResult {
  const value = singleAssignedValue(name, scope);
  if (value === null) return unknownResult(classifyUnknownVariable(name));
  if (index === '@' || index === '*' || name === '@' || name === '*') return value;
  if (index !== null && /^-?\d+$/.test(index)) {
    const element = value.at(Number(index));
    return element ? [element] : unknownResult('computed');
  }
  // The element of an associative array is unknown, unless it has only one.
  if (index !== null) return value.length === 1 ? value : unknownResult('computed');
  return [value[0] ?? []];
}

/** `${!a[@]}` and `${!a*}` are the keys of an array, and the names of variables. */
function expandIndirect(
  name: string,
  index: string | null,
  operation: string,
  scope: ShellScope,
): ExpansionResult {
  if (index !== null) return unknownResult(scope.value(name) === null ? 'variable' : 'computed');
  const target = joinSegments(lookUpValue(name, null, scope)[0] ?? []);
  if (target === null || !/^\w+$/.test(target)) return unknownResult('computed');
  const value = lookUpValue(target, null, scope);
  return operation === '' ? value : applyOperator(value, operation, scope.value(target) !== null);
}

/** `${a[@]:1:2}` is a part of the list. For the positional parameters, the first one has the offset 1. */
function sliceWords(words: ExpansionResult, range: string, isPositional: boolean): ExpansionResult {
  const [, from, length] = /^\s*(-?\d+)\s*(?::\s*(\d+)\s*)?$/.exec(range) ?? [];
  if (from === undefined || (isPositional && Number(from) === 0)) return unknownResult('computed');
  // An unknown element or a pattern of file names can be several words.
  if (words.some((pieces) => joinSegments(pieces) === null || hasNames(pieces))) return words;
  const start = Number(from) - (isPositional && Number(from) > 0 ? 1 : 0);
  const rest = words.slice(start < 0 ? Math.max(0, words.length + start) : start);
  return length === undefined ? rest : rest.slice(0, Number(length));
}

function hasNames(pieces: readonly WordSegment[]): boolean {
  return pieces.some(({ names }) => names === true);
}

function joinSegments(pieces: readonly WordSegment[]): string | null {
  return pieces.some(({ text }) => text === null) ? null : pieces.map(({ text }) => text).join('');
}

function applyOperator(value: ExpansionResult, operation: string, isSet: boolean): ExpansionResult {
  const [, operator = '', raw = ''] =
    /^(:?[-=+?]|:|%%?|##?|\/[/#%]?|\^\^?|,,?|@)([\s\S]*)$/.exec(operation) ?? [];
  const word = unquoted(raw);
  if (/^:?[-=]$/.test(operator)) {
    const isEmpty = value.length > 0 && value.every((pieces) => joinSegments(pieces) === '');
    if (isSet && !isEmpty) return value;
    return ACTIVE_CHARACTERS.test(raw)
      ? unknownResult('variable')
      : [[{ text: word, quoted: false, certain: false }]];
  }
  if (/^:?\+$/.test(operator))
    return ACTIVE_CHARACTERS.test(raw)
      ? unknownResult('computed')
      : [[{ text: word, quoted: false, certain: false }]];
  if (/^:?\?$/.test(operator)) return value;
  return value.map((pieces) => {
    const text = joinSegments(pieces);
    if (text === null) return pieces.map((piece) => ({ ...piece, text: null }));
    const changed =
      ACTIVE_CHARACTERS.test(raw) || isUnsupportedPattern(raw, operator)
        ? null
        : transformText(text, operator, word);
    return [{ text: changed, quoted: false, certain: false, unknown: 'computed' }];
  });
}

/** Returns whether a pattern or a replacement contains brackets, quotes, `\\` or `&`, which are not evaluated. */
function isUnsupportedPattern(raw: string, operator: string): boolean {
  return operator.startsWith('/') ? /[&\\'"]/.test(raw) : /^[%#]/.test(operator) && /[[\\'"]/.test(raw);
}

function transformText(text: string, operator: string, word: string): string | null {
  // A pattern can restrict which letters change.
  if (/^[\^,]/.test(operator) && word !== '' && word !== '?') return null;
  switch (operator) {
    case '%':
    case '%%':
      return withoutEnd(text, word, operator === '%%');
    case '#':
    case '##':
      return withoutStart(text, word, operator === '##');
    case '/':
    case '//':
    case '/#':
    case '/%':
      return replacePattern(text, word, operator);
    case '^':
      return text.charAt(0).toUpperCase() + text.slice(1);
    case '^^':
      return text.toUpperCase();
    case ',':
      return text.charAt(0).toLowerCase() + text.slice(1);
    case ',,':
      return text.toLowerCase();
    case ':':
      return substring(text, word);
    case '@':
      return transformByName(text, word);
    default:
      return null;
  }
}

/** `${x@U}` and similar transformations. Null for a transformation that is not implemented. */
function transformByName(text: string, name: string): string | null {
  switch (name) {
    case 'U':
      return text.toUpperCase();
    case 'u':
      return text.charAt(0).toUpperCase() + text.slice(1);
    case 'L':
      return text.toLowerCase();
    case 'E':
      return unescapeAnsiC(text);
    case 'P':
      return /[\\!$`]/.test(text) ? null : text;
    default:
      return null;
  }
}

/** Matches a shell pattern at every length. The strings are short. */
function patternMatches(pattern: string, text: string): boolean {
  if (!/[*?[]/.test(pattern)) return pattern === text;
  if (pattern.length > 100 || text.length > 500) return false;
  const parts = pattern.split('*').map((part) => part.replaceAll(/\[[^\]]*\]/g, '?'));
  let at = 0;
  for (const [n, part] of parts.entries()) {
    const isLast = n === parts.length - 1;
    const found = findPatternPart(text, part, isLast && n > 0 ? text.length - part.length : at, n === 0);
    if (found < at) return false;
    at = found + part.length;
  }
  return at === text.length || pattern.endsWith('*');
}

function findPatternPart(text: string, part: string, from: number, isFirst: boolean): number {
  for (let at = from; at >= 0 && at + part.length <= text.length; at += 1) {
    if ([...part].every((char, n) => char === '?' || char === text.charAt(at + n))) return at;
    if (isFirst) break;
  }
  return -1;
}

function withoutEnd(text: string, pattern: string, isLongest: boolean): string {
  const starts = [...text, ''].map((_, at) => at);
  for (const at of isLongest ? starts : starts.reverse())
    if (patternMatches(pattern, text.slice(at))) return text.slice(0, at);
  return text;
}

function withoutStart(text: string, pattern: string, isLongest: boolean): string {
  const ends = [...text, ''].map((_, at) => at);
  for (const at of isLongest ? ends.reverse() : ends)
    if (patternMatches(pattern, text.slice(0, at))) return text.slice(at);
  return text;
}

function replacePattern(text: string, word: string, operator: string): string | null {
  const cut = word.indexOf('/');
  const [pattern, by] = cut === -1 ? [word, ''] : [word.slice(0, cut), word.slice(cut + 1)];
  if (pattern === '' || /[*?[]/.test(pattern)) return null;
  if (operator === '//') {
    const parts = text.split(pattern);
    // Otherwise, a short command could create a text of many megabytes.
    return text.length + (parts.length - 1) * by.length > MAX_CODE_CHARS ? null : parts.join(by);
  }
  if (operator === '/#') return text.startsWith(pattern) ? by + text.slice(pattern.length) : text;
  if (operator === '/%') return text.endsWith(pattern) ? text.slice(0, -pattern.length) + by : text;
  return text.replace(pattern, () => by);
}

function substring(text: string, word: string): string | null {
  const [, from, length] = /^\s*(-?\d+)(?::\s*(-?\d+))?\s*$/.exec(word) ?? [];
  if (from === undefined) return null;
  const start = Number(from) < 0 ? text.length + Number(from) : Number(from);
  if (length === undefined) return text.slice(start);
  const end = Number(length) < 0 ? text.length + Number(length) : start + Number(length);
  return text.slice(start, end);
}

function unquoted(word: string): string {
  return word.replaceAll(
    /\\([\s\S])|'([^']*)'|"([^"]*)"/g,
    (_, one, two, three) => one ?? two ?? three ?? '',
  );
}
