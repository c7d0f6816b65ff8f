import { type OptionSyntax, parseOptions } from './parse-options.ts';
import type { ShellWord } from './shell-word.ts';
import { isInputPath } from './unwrap-command.ts';

/** How awk or sed is given its program. */
export interface ProgramSyntax extends OptionSyntax {
  /** Options whose value is code. */
  readonly code: string;
  /** Options whose value is a file with code. */
  readonly files: string;
  /** Options whose value is a file with code that the program uses. The program is given in another way. */
  readonly included: string;
  /** Options whose value is a library that the program loads. */
  readonly libraries: string;
}

/** The programs that awk or sed runs. */
export interface Programs {
  /** Words that contain code. */
  readonly code: readonly ShellWord[];
  readonly files: readonly ShellWord[];
  readonly libraries: readonly ShellWord[];
  readonly readsInput: boolean;
  readonly operands: readonly ShellWord[];
}

/**
 * Finds all programs that the arguments of awk or sed name. Sed permutes its arguments, but not on BSD or with
 * `POSIXLY_CORRECT`, so an operand before the first program is a program too.
 */
export function findPrograms(args: readonly ShellWord[], syntax: ProgramSyntax): Programs {
  const { options, operands } = parseOptions(args, syntax);
  const strict = syntax.permutes ? parseOptions(args, { ...syntax, permutes: false }) : { options, operands };
  const isGiven = strict.options.some(({ letter }) => (syntax.code + syntax.files).includes(letter));
  const first = isGiven ? [] : findFirstOperands(strict.operands);
  const code = options.flatMap(({ letter, value }) => (syntax.code.includes(letter) && value ? [value] : []));
  const named = options.filter(({ letter }) => (syntax.files + syntax.included).includes(letter));
  const files = named.flatMap(({ value }) => value ?? []);
  // The grammar drops a `-` before a here-document, so that the value is missing.
  const readsInput = named.some(({ value }) => value === null || isInputPath(value.text));
  return {
    code: [...first, ...code],
    files: files.filter(({ text }) => !isInputPath(text)),
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
