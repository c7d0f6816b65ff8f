import { type OptionSyntax, parseCommandOptions } from './parse-options.ts';
import type { ShellWord } from './shell-word.ts';
import { isStandardInputPath } from './unwrap-command.ts';

/** How awk or sed receives its programs: which options contain code, and which options name files with code. */
export interface AwkOrSedSyntax extends OptionSyntax {
  /** Options whose value is code. */
  readonly code: string;
  /** Options whose value is a file with code. */
  readonly files: string;
  /** Options whose value is a file with additional code. The program itself must also be specified. */
  readonly included: string;
  /** Options whose value is a library that the program loads. */
  readonly libraries: string;
}

/** The programs that awk or sed runs. */
export interface AwkOrSedPrograms {
  /** Words that contain code. */
  readonly code: readonly ShellWord[];
  readonly files: readonly ShellWord[];
  readonly libraries: readonly ShellWord[];
  readonly readsInput: boolean;
  readonly operands: readonly ShellWord[];
}

/**
 * Finds all programs that the arguments of awk or sed contain or name. GNU sed accepts options after operands.
 * BSD sed, and GNU sed with `POSIXLY_CORRECT`, run the first operand as the program instead. The result
 * therefore also contains an operand that precedes an option with a program.
 */
export function findAwkOrSedPrograms(args: readonly ShellWord[], syntax: AwkOrSedSyntax): AwkOrSedPrograms {
  const { options, operands } = parseCommandOptions(args, syntax);
  const strict = syntax.permutes
    ? parseCommandOptions(args, { ...syntax, permutes: false })
    : { options, operands };
  const isGiven = strict.options.some(({ letter }) => (syntax.code + syntax.files).includes(letter));
  const first = isGiven ? [] : findFirstOperands(strict.operands);
  const code = options.flatMap(({ letter, value }) => (syntax.code.includes(letter) && value ? [value] : []));
  const named = options.filter(({ letter }) => (syntax.files + syntax.included).includes(letter));
  const files = named.flatMap(({ value }) => value ?? []);
  // The grammar drops a `-` before a here-document, so that the value is missing.
  const readsInput = named.some(({ value }) => value === null || isStandardInputPath(value.text));
  return {
    code: [...first, ...code],
    files: files.filter(({ text }) => !isStandardInputPath(text)),
    libraries: options.flatMap(({ letter, value }) =>
      syntax.libraries.includes(letter) && value ? [value] : [],
    ),
    readsInput,
    operands,
  };
}

/**
 * The first operand, and the unknown words before it, which may be options. On BSD, `sed -i` takes a suffix such as
 * `''` or `.bak` from the next word.
 */
function findFirstOperands(operands: readonly ShellWord[]): readonly ShellWord[] {
  const at = operands.findIndex(({ text, prefix }) => !/^(?:\.[\w~-]*)?$/.test(text ?? prefix));
  return operands.slice(0, at === -1 ? undefined : at + 1);
}
