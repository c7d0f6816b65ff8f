import { MAX_RELAY_PATH_CHARS, MAX_RELAY_TEXT_CHARS } from '@floe/contract/api/relay';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';

/**
 * Returns the value of the first of these members that is a string. `a.b` is the name of a nested member.
 * Several names can be given, because payloads spell some names in two ways.
 */
export function readTextField(from: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = valueAtPath(from, name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/**
 * Returns the different strings of all of these members. Use it if the agent may use any of the members, because a
 * model could otherwise hide the member that the agent uses behind another one.
 */
export function readTextFields(from: JsonObject, ...names: readonly string[]): string[] {
  const values = names.map((name) => valueAtPath(from, name));
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

/**
 * Returns the text of a prompt. If this member is not a string, returns the payload as JSON, so that rules see its text.
 */
export function readPromptText(from: JsonObject, name: string): string {
  return readTextField(from, name) ?? toJsonText(from);
}

/**
 * Returns the start of the JSON of a value that has no known form, so that rules see its text. If the value is nested
 * too deeply for JSON, returns its names and values without their structure.
 */
export function toJsonText(value: JsonObject): string {
  try {
    return JSON.stringify(value).slice(0, MAX_RELAY_TEXT_CHARS);
  } catch {
    return listNamesAndValues(value).join('\n').slice(0, MAX_RELAY_TEXT_CHARS);
  }
}

/** Does not recurse, because a model can nest values deeper than the stack allows. */
function listNamesAndValues(value: JsonObject): string[] {
  const found: string[] = [];
  for (let level: object[] = [value]; level.length > 0; ) {
    const inner: object[] = [];
    for (const one of level)
      for (const [name, member] of Object.entries(one)) {
        if (!Array.isArray(one)) found.push(name);
        if (typeof member === 'object' && member !== null) inner.push(member);
        else found.push(String(member));
      }
    level = inner;
  }
  return found;
}

/**
 * Returns the first 200 characters of the first of these members that is a string. Returns undefined if the
 * string is empty or there is none. Use it for names and ids.
 */
export function readShortTextField(from: JsonObject, ...names: readonly string[]): string | undefined {
  const found = readTextField(from, ...names);
  return found === undefined || found === '' ? undefined : found.slice(0, 200);
}

/**
 * Returns the first of these members that is an object, or JSON text that contains an object. If there is none,
 * returns the first other value as `{ input: value }`, so that rules see its text. Returns an empty object if all
 * members are absent.
 */
export function readObjectField(from: JsonObject, ...names: readonly string[]): JsonObject {
  const values = names.map((name) => valueAtPath(from, name) ?? null).filter((value) => value !== null);
  for (const value of values) {
    const found = typeof value === 'string' ? parseObject(value) : value;
    if (isJsonObject(found)) return found;
  }
  const [input] = values;
  return input === undefined ? {} : { input };
}

/** Returns the working directory. Undefined if it is missing, or longer than operating systems accept. */
export function readDirectoryField(from: JsonObject, name: string): string | undefined {
  const directory = readTextField(from, name);
  return directory !== undefined && directory.length > MAX_RELAY_PATH_CHARS ? undefined : directory;
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
