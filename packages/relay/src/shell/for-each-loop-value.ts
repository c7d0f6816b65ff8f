import { type ShellScope, toWordSegments } from './shell-scope.ts';
import type { ShellWord } from './shell-word.ts';

/** A loop with more values is analyzed once, as a whole. */
const MAX_LOOP_VALUES = 16;
/** Values that are neither options nor file names that rules can name. */
const PLAIN_VALUE = /^\w*$/;

/**
 * Runs the callback for each value of a loop variable. If there are too many values, runs it once, and returns false unless all values are plain words.
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
