import { count } from './amounts.ts';

/** `The`, `Each`: a sentence begins with it. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `1 request`, `16,204 requests` */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** `a, b and c` */
export function allOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}

/** `a, b or c` */
export function anyOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);
}

/** What somebody typed as a list: with commas between, or one to a line. */
export function typedList(text: string): string[] {
  return text.split(/[\n,]/).flatMap((part) => part.trim() || []);
}
