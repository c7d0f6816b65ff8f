import {
  ExactNumber,
  isObject,
  type Json,
  type JsonArray,
  type JsonNumber,
  type JsonObject,
  parseJsonExactly,
} from '@floe/contract/json';

export { isObject };

/**
 * The few narrowing reads every dialect needs: a wrong type reads as absent, never as an exception.
 *
 * @example
 * isJsonArray([1]); // true
 */
export function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/**
 * @example
 * asString('gpt-5'); // 'gpt-5'
 * asString(5); // undefined
 */
export function asString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * For counting and comparing; a number beyond what JavaScript holds is none.
 *
 * @example
 * asNumber(tryParseExactJson('1.50')); // 1.5
 * asNumber('5'); // undefined
 */
export function asNumber(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  const about = value instanceof ExactNumber ? value.approximate : undefined;
  return Number.isFinite(about) ? about : undefined;
}

/**
 * A number as it was written, for passing on.
 *
 * @example
 * JSON.stringify(asExactNumber(tryParseExactJson('1.50'))); // '1.50'
 */
export function asExactNumber(value: Json | undefined): JsonNumber | undefined {
  return typeof value === 'number' || value instanceof ExactNumber ? value : undefined;
}

/**
 * @example
 * asBoolean('true'); // undefined
 */
export function asBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/**
 * @example
 * asObject({ a: 1 }); // { a: 1 }
 * asObject([1]); // undefined
 */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/**
 * @example
 * asArray([1, 2]); // [1, 2]
 * asArray('x'); // []
 */
export function asArray(value: Json | undefined): JsonArray {
  return isJsonArray(value) ? value : [];
}

/**
 * The objects of a list; whatever else stands in it is left out.
 *
 * @example
 * asObjects([{ a: 1 }, 'x', null]); // [{ a: 1 }]
 */
export function asObjects(value: Json | undefined): readonly JsonObject[] {
  return asArray(value).filter((entry) => isObject(entry));
}

/**
 * Strings of a list, or the one string that stands where a list may.
 *
 * @example
 * asStrings('END'); // ['END']
 * asStrings(['END', 5]); // ['END']
 */
export function asStrings(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return asArray(value).filter((entry) => typeof entry === 'string');
}

/**
 * For what is only looked at: numbers are JavaScript's. `undefined` when the text is not JSON.
 *
 * @example
 * tryParseJson('{"a":1.50}'); // { a: 1.5 }
 * tryParseJson('{"a":'); // undefined
 */
export function tryParseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/**
 * For what goes on: arguments, schemas, results. Numbers keep their text. `undefined` when the text is not JSON.
 *
 * @example
 * JSON.stringify(tryParseExactJson('{"id":9007199254740993}')); // '{"id":9007199254740993}'
 */
export function tryParseExactJson(text: string): Json | undefined {
  try {
    return parseJsonExactly(text);
  } catch {
    return undefined;
  }
}

/**
 * One event of a stream. Few hold values that go on as JSON: only those that name one of `members` are read exactly,
 * which keeps the others at the price of `JSON.parse`.
 *
 * @example
 * JSON.stringify(parseStreamEvent('{"input":1.50}', ['"input"'])); // '{"input":1.50}'
 * JSON.stringify(parseStreamEvent('{"index":1.50}', ['"input"'])); // '{"index":1.5}'
 */
export function parseStreamEvent(text: string, members: readonly string[]): Json | undefined {
  for (const member of members) if (text.includes(member)) return tryParseExactJson(text);
  return tryParseJson(text);
}

/**
 * A name fit for a header and a log row: what a client or provider wrote may hold anything.
 *
 * @example
 * sanitizeFieldName('my field\r\n'); // 'my_field__'
 */
export function sanitizeFieldName(name: string): string {
  return name.slice(0, 64).replace(/[^A-Za-z0-9_.[\]-]/g, '_');
}

/**
 * True when the member is there and says something: absent, null, "", [] and {} say nothing.
 *
 * @example
 * isNonEmpty([]); // false
 * isNonEmpty(0); // true
 */
export function isNonEmpty(value: Json | undefined): value is Json {
  if (value === undefined || value === null || value === '') return false;
  if (isJsonArray(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}
