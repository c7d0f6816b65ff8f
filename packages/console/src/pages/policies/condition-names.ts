import { policiesText } from './text.ts';

/** The names that a condition can read (docs/reference/conditions.md), each with a description. */
export const CONDITION_NAMES: readonly (readonly [string, string])[] = Object.entries(policiesText.names);

/** The name before the caret that is being typed. Empty if there is none. */
export function wordBeforeCaret(condition: string, caret: number): string {
  return /[A-Za-z_][\w.]*$/.exec(condition.slice(0, caret))?.[0] ?? '';
}

/** The names that start with the typed word, without the word itself. Names of responses are left out for requests. */
export function suggestConditionNames(
  word: string,
  on: 'request' | 'answer',
): readonly (readonly [string, string])[] {
  if (word === '') return [];
  return CONDITION_NAMES.filter(
    ([name]) =>
      name.startsWith(word) && name !== word && (on === 'answer' || !/^(answer|usage)\b/.test(name)),
  ).slice(0, 8);
}

/** The condition with the typed word replaced by the name, and the new position of the caret. */
export function insertConditionName(
  condition: string,
  caret: number,
  name: string,
): { readonly text: string; readonly caret: number } {
  const start = caret - wordBeforeCaret(condition, caret).length;
  return { text: condition.slice(0, start) + name + condition.slice(caret), caret: start + name.length };
}
