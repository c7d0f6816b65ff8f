import { createDelimiterPattern } from './build-shell-words.ts';
import { predictCommandOutput } from './command-output.ts';
import { parseAssignment } from './environment-effects.ts';
import { type ShellScope, toWordSegments } from './shell-scope.ts';
import {
  type CommandInput,
  createLiteralWord,
  type ShellWord,
  type UnknownTextSource,
} from './shell-word.ts';

/**
 * Records how builtins change variables, such as `read`, `printf -v`, `set --`, `shift`, `mapfile` and
 * `shopt`.
 */
export function recordVariableChanges(
  name: string,
  args: readonly ShellWord[],
  input: CommandInput | null,
  scope: ShellScope,
): void {
  switch (name) {
    case 'read':
      return recordRead(args, input, scope);
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly':
      return recordDeclaration(name, args, scope);
    case 'mapfile':
    case 'readarray':
      return recordMapfile(args, input, scope);
    case 'getopts':
      return markNamesUnknown(args, 'data', scope);
    case 'let':
      for (const { text } of args) {
        const [, changed] = /^(?:\+\+|--)?([A-Za-z_]\w*)/.exec(text ?? '') ?? [];
        if (changed !== undefined) scope.markUnknown(changed, 'program');
      }
      return;
    case 'printf':
      if (args[0]?.text === '-v' && args[1]?.text) {
        const { text, unknown } = predictCommandOutput('printf', args.slice(2), null);
        scope.assign(args[1].text, [[{ text, quoted: true, certain: false, unknown }]]);
      }
      return;
    case 'set': {
      const from = args.findIndex(({ text }) => text === '--');
      if (from !== -1) scope.setArgs(args.slice(from + 1));
      return;
    }
    case 'shift': {
      const count = Number(args[0]?.text ?? '1');
      if (Number.isInteger(count) && count >= 0) scope.shiftArgs(count);
      return;
    }
    case 'shopt':
      if (args.some(({ text }) => text === 'dotglob')) scope.dotglob = args.some(({ text }) => text === '-s');
      return;
    case 'unset':
      recordDeclaration(name, args, scope);
      for (const { text } of args) if (text !== null) scope.markUnknown(text, 'variable');
  }
}

/** The builtins that declare namerefs. For `export`, `-n` has another meaning. */
const NAMEREF_BUILTINS = /^(?:declare|typeset|local)$/;

/**
 * Returns `start` if the command makes its variables namerefs (`declare -n`), and `end` if it makes them
 * ordinary variables again or removes them (`declare +n`, `unset -n`). Null for any other command.
 */
export function findNamerefChange(name: string, args: readonly (string | null)[]): 'start' | 'end' | null {
  if (name !== 'unset' && !NAMEREF_BUILTINS.test(name)) return null;
  const end = args.findIndex((text) => text === '--' || (text !== null && !/^[-+]./.test(text)));
  const option = args.slice(0, end === -1 ? undefined : end).findLast((text) => text?.includes('n'));
  if (!option) return null;
  return option.startsWith('-') && name !== 'unset' ? 'start' : 'end';
}

/** `builtin declare x=y`: the grammar recognizes declarations only if the name is not in quotes. */
function recordDeclaration(builtin: string, args: readonly ShellWord[], scope: ShellScope): void {
  const change = findNamerefChange(
    builtin,
    args.map(({ text }) => text),
  );
  for (const { text } of args) {
    const assignment = parseAssignment(text);
    const name = assignment?.name ?? text ?? '';
    const value = assignment?.value ?? null;
    if (change !== null && /^[A-Za-z_]\w*$/.test(name))
      scope[change === 'start' ? 'refer' : 'endReference'](name, value);
    if (value !== null && change !== 'start')
      scope.assign(name, [[{ text: value, quoted: false, certain: false }]]);
  }
}

/**
 * The words of the first input line are assigned to the variables. The last one gets the rest. Not evaluated: escapes,
 * and options with which the command reads more or less than one line.
 */
function recordRead(args: readonly ShellWord[], input: CommandInput | null, scope: ShellScope): void {
  const names = args.flatMap(({ text }, at) =>
    text !== null && /^[A-Za-z_]\w*$/.test(text) && !/^-[a-zA-Z]*[dinNptu]$/.test(args[at - 1]?.text ?? '')
      ? [text]
      : [],
  );
  if (names.length === 0) names.push('REPLY');
  const printed = input?.printed;
  const line = printed?.text?.split('\n')[0] ?? null;
  const { separators } = scope;
  const isArray = args.some(({ text }) => /^-[a-zA-Z]*a$/.test(text ?? ''));
  const isRaw = args.some(({ text }) => /^-[a-zA-Z]*r/.test(text ?? ''));
  const isPart = args.some(({ text }) => /^-[a-zA-Z]*[dinN]/.test(text ?? ''));
  const isUnknown = line === null || separators === null || isPart || (!isRaw && line.includes('\\'));
  const words = isUnknown ? null : splitLine(line, separators, isArray ? null : names.length);
  const [array] = names;
  if (array !== undefined && words !== null && isArray)
    return scope.assign(
      array,
      words.map((text) => [{ text, quoted: true, certain: false }]),
    );
  for (const [at, name] of names.entries()) {
    const [pattern] = printed?.names ?? [];
    if (words !== null) {
      scope.assign(name, [[{ text: words[at] ?? '', quoted: true, certain: false }]]);
    } else if (pattern !== undefined)
      scope.assign(name, [
        toWordSegments({ ...createLiteralWord('', { start: 0, end: 0 }), text: null, pattern, glob: true }),
      ]);
    else scope.markUnknown(name, line === null ? (printed?.unknown ?? 'data') : 'computed');
  }
}

/** Splits a line at the characters in `IFS` into at most `count` words. The last one is the rest of the line. */
function splitLine(line: string, separators: string, count: number | null): string[] {
  const delimiter = createDelimiterPattern(separators);
  const blank = separators.replaceAll(/[^ \t]/g, '');
  let rest =
    blank === '' ? line : line.replace(new RegExp(`^[${blank}]+|(?<![${blank}])[${blank}]+$`, 'g'), '');
  const words: string[] = [];
  while (rest !== '' && words.length + 1 !== count) {
    const found = delimiter?.exec(rest);
    if (!found) break;
    words.push(rest.slice(0, found.index));
    rest = rest.slice(found.index + found[0].length);
  }
  return rest === '' ? words : [...words, rest];
}

/** The array that `mapfile` sets if its command names none. */
const DEFAULT_ARRAY = 'MAPFILE';

/** `mapfile -t a` reads one element for each line of the input. */
function recordMapfile(args: readonly ShellWord[], input: CommandInput | null, scope: ShellScope): void {
  const [option, array] = args;
  const name = args.length === 1 ? DEFAULT_ARRAY : array?.text;
  const { text = null, unknown = 'data' } = input?.printed ?? {};
  if (args.length <= 2 && option?.text === '-t' && name && text !== null) {
    const lines = text.replace(/\n$/, '').split('\n');
    return scope.assign(
      name,
      lines.map((line) => [{ text: line, quoted: true, certain: false }]),
    );
  }
  const source = text === null ? unknown : 'computed';
  scope.markUnknown(DEFAULT_ARRAY, source);
  markNamesUnknown(args, source, scope);
}

function markNamesUnknown(args: readonly ShellWord[], unknown: UnknownTextSource, scope: ShellScope): void {
  for (const { text } of args)
    if (text !== null && /^[A-Za-z_]\w*$/.test(text)) scope.markUnknown(text, unknown);
}
