import { ExactNumber, type Json, type JsonNumber } from '@floe/contract/json';
import { asExactNumber, isJsonArray, isJsonObject } from './json-narrowing.ts';

/**
 * Returns whether two JSON values are equal, whatever their notation is: the order of the members of an object, and the
 * zeros and the exponent of a number, do not matter. A missing value is equal only to a missing value.
 * @example
 * isSameJson(tryParseExactJson('{"a":1.0,"b":"\\u0062"}'), { b: 'b', a: 1 }); // true
 */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  const [number, otherNumber] = [asExactNumber(one), asExactNumber(other)];
  if (number !== undefined && otherNumber !== undefined)
    return normalizeNumber(number) === normalizeNumber(otherNumber);
  if (isJsonArray(one) && isJsonArray(other))
    return one.length === other.length && one.every((entry, at) => isSameJson(entry, other[at]));
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns a number as its significant digits and an exponent. JavaScript numbers would lose digits. */
function normalizeNumber(value: JsonNumber): string {
  const text = value instanceof ExactNumber ? value.text : String(value);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  // A regular expression would take quadratic time for many zeros.
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
