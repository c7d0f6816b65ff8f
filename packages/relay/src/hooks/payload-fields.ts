import { isObject, type Json, type JsonObject } from '@floe/contract/json';

/** The first of these members that is a text; `a.b` looks inside. Payloads spell names in two ways. */
export function readTextField(from: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = valueAtPath(from, name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** As `text`, for names and ids: empty ones are none, long ones are cut. */
export function readLabelField(from: JsonObject, ...names: readonly string[]): string | undefined {
  const found = readTextField(from, ...names);
  return found === undefined || found === '' ? undefined : found.slice(0, 200);
}

/** The first of these members that is an object, or the JSON text of one. */
export function readObjectField(from: JsonObject, ...names: readonly string[]): JsonObject {
  for (const name of names) {
    const value = valueAtPath(from, name);
    if (isObject(value)) return value;
    if (typeof value === 'string') {
      const parsed = parseObject(value);
      if (parsed) return parsed;
    }
  }
  return {};
}

export function readListField(from: JsonObject, name: string): readonly Json[] {
  const value = valueAtPath(from, name);
  return Array.isArray(value) ? value : [];
}

function valueAtPath(from: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = from;
  for (const name of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function parseObject(json: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
