import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';

/**
 * Returns the first of these members that is a string. `a.b` names a nested member. Several names
 * are accepted because payloads use two spellings.
 */
export function readTextField(from: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = valueAtPath(from, name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/**
 * Returns the first of these members that is a string, for names and ids. Empty strings count as
 * absent, and long strings are truncated.
 */
export function readLabelField(from: JsonObject, ...names: readonly string[]): string | undefined {
  const found = readTextField(from, ...names);
  return found === undefined || found === '' ? undefined : found.slice(0, 200);
}

/**
 * Returns the first of these members that is an object, or JSON text that contains an object.
 * Returns an empty object if there is none.
 */
export function readObjectField(from: JsonObject, ...names: readonly string[]): JsonObject {
  for (const name of names) {
    const value = valueAtPath(from, name);
    if (isJsonObject(value)) return value;
    if (typeof value === 'string') {
      const parsed = parseObject(value);
      if (parsed) return parsed;
    }
  }
  return {};
}

/** Returns a member that is a list. Returns an empty list for any other value. */
export function readListField(from: JsonObject, name: string): readonly Json[] {
  const value = valueAtPath(from, name);
  return Array.isArray(value) ? value : [];
}

function valueAtPath(from: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = from;
  for (const name of path.split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function parseObject(json: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(json);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
