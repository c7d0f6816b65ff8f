import { formatCount } from './amounts.ts';

/** `The`, `Each`: a sentence begins with it. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `1 request`, `16,204 requests` */
export function pluralize(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}

/** `a, b and c` */
export function joinWithAnd(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}

/** `a, b or c` */
export function joinWithOr(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);
}

/** What somebody typed as a list: with commas between, or one to a line. */
export function parseList(text: string): string[] {
  return text.split(/[\n,]/).flatMap((part) => part.trim() || []);
}
