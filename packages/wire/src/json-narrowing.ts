import {
  ExactNumber,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonNumber,
  type JsonObject,
  parseJsonExactly,
} from '@floe/contract/json';

export { isJsonObject };

/**
 * Returns whether a value is an array. The functions in this file never throw. They treat a value of another type
 * like a missing value.
 * @example
 * isJsonArray([1]); // true
 */
export function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/**
 * Returns the value if it is a string. Returns undefined for any other value.
 * @example
 * asString('gpt-5'); // 'gpt-5'
 * asString(5); // undefined
 */
export function asString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the value as a JavaScript number, for counting and comparing. Returns undefined if it is not a number,
 * or if JavaScript cannot represent it.
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
 * Returns the value if it is a number, in its original notation, for forwarding. Returns undefined for any other
 * value.
 * @example
 * JSON.stringify(asExactNumber(tryParseExactJson('1.50'))); // '1.50'
 */
export function asExactNumber(value: Json | undefined): JsonNumber | undefined {
  return typeof value === 'number' || value instanceof ExactNumber ? value : undefined;
}

/**
 * Returns the value if it is a boolean. Returns undefined for any other value.
 * @example
 * asBoolean('true'); // undefined
 */
export function asBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/**
 * Returns the value if it is an object. Returns undefined for any other value.
 * @example
 * asObject({ a: 1 }); // { a: 1 }
 * asObject([1]); // undefined
 */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/**
 * Returns the value if it is an array. Returns an empty array for any other value.
 * @example
 * asArray([1, 2]); // [1, 2]
 * asArray('x'); // []
 */
export function asArray(value: Json | undefined): JsonArray {
  return isJsonArray(value) ? value : [];
}

/**
 * Returns the elements of a list that are objects. Returns an empty array if the value is not a list.
 * @example
 * asObjects([{ a: 1 }, 'x', null]); // [{ a: 1 }]
 */
export function asObjects(value: Json | undefined): readonly JsonObject[] {
  return asArray(value).filter((entry) => isJsonObject(entry));
}

/**
 * Returns the elements of a list that are strings. A single string is treated as a list with one element. Returns
 * an empty array for any other value.
 * @example
 * asStrings('END'); // ['END']
 * asStrings(['END', 5]); // ['END']
 */
export function asStrings(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return asArray(value).filter((entry) => typeof entry === 'string');
}

/**
 * Parses JSON for inspection, with JavaScript numbers. Returns undefined if the text is not JSON.
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
 * Parses JSON for forwarding, such as arguments, schemas and results. Numbers keep their original
 * notation. Returns undefined if the text is not JSON.
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
 * Makes a field name safe for a header and for a row of the request log: truncates it to 64 characters, and
 * replaces special characters.
 * @example
 * sanitizeFieldName('my field\r\n'); // 'my_field__'
 */
export function sanitizeFieldName(name: string): string {
  return name.slice(0, 64).replace(/[^A-Za-z0-9_.[\]-]/g, '_');
}

/**
 * Returns the value if it is not null, "", [] or {}. Returns undefined for these values.
 * @example
 * asNonEmpty('auto'); // 'auto'
 * asNonEmpty({}); // undefined
 */
export function asNonEmpty(value: Json | undefined): Json | undefined {
  return isNonEmpty(value) ? value : undefined;
}

/**
 * Returns whether a member is present and not null, "", [] or {}.
 * @example
 * isNonEmpty([]); // false
 * isNonEmpty(0); // true
 */
export function isNonEmpty(value: Json | undefined): value is Json {
  if (value === undefined || value === null || value === '') return false;
  if (isJsonArray(value)) return value.length > 0;
  return !isJsonObject(value) || Object.keys(value).length > 0;
}
