import { policiesText } from './text.ts';

/**
 * The names of the variables that a condition can use, with descriptions (see docs/reference/conditions.md).
 */
export const CONDITION_VARIABLE_DESCRIPTIONS: readonly (readonly [string, string])[] = Object.entries(
  policiesText.names,
);

/** Returns the partly typed name before the caret, or an empty string if there is none. */
export function getWordBeforeCaret(condition: string, caret: number): string {
  return /[A-Za-z_][\w.]*$/.exec(condition.slice(0, caret))?.[0] ?? '';
}

/**
 * Returns up to eight variables whose names start with the typed word, with their descriptions. Omits the
 * variable whose name is the typed word. For policies on requests, also omits the variables of the response.
 */
export function suggestConditionVariables(
  word: string,
  on: 'request' | 'answer',
): readonly (readonly [string, string])[] {
  if (word === '') return [];
  return CONDITION_VARIABLE_DESCRIPTIONS.filter(
    ([name]) =>
      name.startsWith(word) && name !== word && (on === 'answer' || !/^(answer|usage)\b/.test(name)),
  ).slice(0, 8);
}

/** Replaces the typed word with a name. Returns the new condition and the new position of the caret. */
export function insertConditionVariable(
  condition: string,
  caret: number,
  name: string,
): { readonly text: string; readonly caret: number } {
  const start = caret - getWordBeforeCaret(condition, caret).length;
  return { text: condition.slice(0, start) + name + condition.slice(caret), caret: start + name.length };
}
