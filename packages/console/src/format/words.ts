import { formatCount } from './amounts.ts';

/** Converts the first letter of a text to uppercase. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a count with its noun, as in `1 request` or `16,204 requests`. */
export function formatCountWithNoun(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** Joins words, as in `a, b and c`. */
export function joinWithAnd(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}

/** Joins words, as in `a, b or c`. */
export function joinWithOr(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);
}
