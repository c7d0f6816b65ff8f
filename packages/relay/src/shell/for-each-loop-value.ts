import { createTextCommandOutput } from './command-output.ts';
import { type ShellScope, toWordSegments } from './shell-scope.ts';
import type { CommandInput, ShellWord } from './shell-word.ts';

/** A loop with more values is analyzed once, as a whole. */
export const MAX_LOOP_VALUES = 16;
/** Values that are neither options nor file names that rules can name. */
const PLAIN_VALUE = /^\w*$/;

/**
 * Runs the callback for each value of a loop variable. If there are too many values, runs it once, and returns false
 * unless all values are plain words.
 */
export function forEachLoopValue(
  name: string,
  words: readonly ShellWord[],
  scope: ShellScope,
  visit: () => void,
): boolean {
  if (words.length > MAX_LOOP_VALUES) {
    const isPlain = words.every(({ text }) => text !== null && PLAIN_VALUE.test(text));
    scope.markUnknown(name, isPlain ? 'variable' : 'computed');
    visit();
    return isPlain;
  }
  if (words.length === 0) {
    scope.markUnknown(name, 'variable');
    visit();
  }
  for (const word of words) {
    scope.assignEach(name, [toWordSegments(word)]);
    visit();
  }
  return true;
}

/**
 * Returns the input of each iteration of a loop that reads one line per iteration: all lines that are not read yet.
 * Returns at most `MAX_LOOP_VALUES + 1` inputs, so that the caller can detect a longer loop. If the lines are unknown,
 * returns only the given input.
 */
export function listLoopInputs(input: CommandInput | null): readonly (CommandInput | null)[] {
  const lines = input?.printed.text?.replace(/\n$/, '').split('\n') ?? [];
  if (input === null || lines.length < 2) return [input];
  return lines.slice(0, MAX_LOOP_VALUES + 1).map((_, at) => {
    const printed = createTextCommandOutput(lines.slice(at).join('\n'));
    return { ...input, printed };
  });
}
