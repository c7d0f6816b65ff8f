import { piecesOf, type Scope } from './scope.ts';
import type { Word } from './word.ts';

/** A loop over more values than this is looked at as a whole. */
const MOST_VALUES = 16;
/** Values that are neither options nor names of files that rules name. */
const PLAIN = /^\w*$/;

/** Assigns a loop's variable one value after the other; false when there are more than are looked at. */
export function eachValue(name: string, words: readonly Word[], scope: Scope, visit: () => void): boolean {
  if (words.length > MOST_VALUES) {
    const isPlain = words.every(({ text }) => text !== null && PLAIN.test(text));
    scope.forget(name, isPlain ? 'variable' : 'made');
    visit();
    return isPlain;
  }
  if (words.length === 0) {
    scope.forget(name, 'variable');
    visit();
  }
  for (const word of words) {
    scope.assignEach(name, [piecesOf(word)]);
    visit();
  }
  return true;
}
