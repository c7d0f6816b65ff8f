import { predictCommandOutput } from './command-output.ts';
import { parseAssignment } from './environment-effects.ts';
import { type ShellScope, toWordSegments } from './shell-scope.ts';
import { type CommandInput, createLiteralWord, type ShellWord } from './shell-word.ts';

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
    case 'getopts':
      for (const { text } of args) if (text !== null && /^[A-Za-z_]\w*$/.test(text)) scope.markUnknown(text);
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

/** The words of the first input line are assigned to the variables. The last one gets the rest. */
function recordRead(args: readonly ShellWord[], input: CommandInput | null, scope: ShellScope): void {
  const names = args.flatMap(({ text }, at) =>
    text !== null && /^[A-Za-z_]\w*$/.test(text) && !/^-[dinNptu]$/.test(args[at - 1]?.text ?? '')
      ? [text]
      : [],
  );
  const printed = input?.printed;
  const line = printed?.text?.split('\n')[0] ?? null;
  // A line without blanks is split by another `IFS`.
  const separator = names.length > 1 && line !== null && !/\s/.test(line.trim()) ? /[,:;|]+/ : /\s+/;
  const words = line?.split(separator).filter(Boolean) ?? null;
  const [array] = names;
  if (array !== undefined && words !== null && args.some(({ text }) => /^-[a-zA-Z]*a$/.test(text ?? '')))
    return scope.assign(
      array,
      words.map((text) => [{ text, quoted: true, certain: false }]),
    );
  for (const [at, name] of names.entries()) {
    const [pattern] = printed?.names ?? [];
    if (words !== null) {
      const text = at === names.length - 1 ? words.slice(at).join(' ') : (words[at] ?? '');
      scope.assign(name, [[{ text, quoted: true, certain: false }]]);
    } else if (pattern !== undefined)
      scope.assign(name, [
        toWordSegments({ ...createLiteralWord('', { start: 0, end: 0 }), text: null, pattern, glob: true }),
      ]);
    else scope.markUnknown(name, printed?.unknown ?? 'data');
  }
}
