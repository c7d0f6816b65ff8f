import { normalizeCommandName } from './command.ts';
import {
  createTextCommandOutput,
  createUnknownCommandOutput,
  predictCommandOutput,
} from './command-output.ts';
import type { ShellScope } from './shell-scope.ts';
import type { CommandOutput, ShellWord } from './shell-word.ts';

/** Predicts the output of a command in a substitution. The output of functions and aliases is not predicted. */
export function predictSubstitutionOutput(
  words: readonly ShellWord[],
  input: CommandOutput | null,
  scope: ShellScope,
): CommandOutput {
  const [name, ...args] = words;
  if (name?.text == null || scope.findFunction(name.text) || scope.findAlias(name.text) !== null)
    return createUnknownCommandOutput('computed');
  const files = args.flatMap(({ text }) => (text === null ? [] : (scope.fileAt(text) ?? [])));
  const [file] = files;
  if (file && args.length === 1 && name.text === 'cat') return createTextCommandOutput(file.text);
  if (file) return createUnknownCommandOutput('computed');
  return predictCommandOutput(normalizeCommandName(name.text), args, input);
}
