import { RewrittenText } from './rewritten-text.ts';

/** The first character of every terminal sequence. */
export const ESCAPE = '\u001b';

/**
 * The escape and control sequences of terminals (ECMA-48 and ECMA-35), such as `ESC [ 3 1 m` for red. For a command with
 * a text, such as the address of a link, matches only the first two characters, because the text can contain values, too. A
 * sequence with a quote is not replaced, because in JSON the quote ends a string.
 */
const SEQUENCE = /\u001b(?:\[[0-?]*[ !#-/]*[@-~]|[ !#-/]+[0-~]|[0-~])/g;

/**
 * Replaces each terminal sequence in a text. The letter at the end of a sequence otherwise becomes part of the word
 * after it. Takes linear time.
 */
export function replaceTerminalSequences(text: string, replacement: string): RewrittenText {
  const replaced = new RewrittenText(text);
  for (const { index, 0: sequence } of text.matchAll(SEQUENCE))
    replaced.replace(index, index + sequence.length, replacement);
  return replaced;
}
