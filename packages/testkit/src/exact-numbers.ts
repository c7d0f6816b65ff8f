// Numbers that JavaScript would write differently, and functions that find them in a string.
import assert from 'node:assert/strict';

/** The placeholder for the number in a template. */
export const NUMBER_PLACEHOLDER = '@NUMBER@';

/** Numbers that JavaScript would write differently. */
export const EXACT_NUMBERS: readonly string[] = [
  '9007199254740993',
  '1234567890123456789',
  '-9223372036854775808',
  '18446744073709551615',
  '123456789012345678901234567890',
  '1.10',
  '100.0',
  '1e400',
  '-1E5',
  '-0',
  '0.00000012',
  '3.14159265358979323846',
];

/** Replaces the placeholder in a template with a number. */
export function insertNumber(template: string, number: string): string {
  return template.replaceAll(NUMBER_PLACEHOLDER, number);
}

/** Returns how often a number occurs in JSON text, including JSON that is nested in strings. */
export function countNumberOccurrences(text: string, number: string): number {
  const token = number.replaceAll('.', '\\.').replaceAll('+', '\\+');
  return [...text.matchAll(new RegExp(`(?<![\\w.+-])${token}(?![\\w.+-])`, 'g'))].length;
}

/** Asserts that the number occurs in the text at least `places` times. */
export function assertContainsNumber(text: string, number: string, where: string, places = 1): void {
  assert.ok(
    countNumberOccurrences(text, number) >= places,
    `${number} is not in ${where}: ${text.slice(0, 1500)}`,
  );
}
