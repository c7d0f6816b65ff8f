import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asString, isJsonArray, isJsonObject, isNonEmpty, tryParseJson } from '../json-narrowing.ts';

type Slot = Json | undefined;

/** The steps `.name`, `[0]`, `['name']` and `["name"]` of a JSON path (RFC 9535). */
const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;
/** Maximum number of steps, because nested arguments are built recursively. */
const MAX_STEPS = 512;

/**
 * Builds a call's arguments from streamed `partialArgs`. Each element has a JSON path, and the value at this path
 * or the next part of it if it is a string. Only the path steps `.name`, `[0]`, `['name']` and `["name"]` are supported.
 */
export class PartialArgumentsBuilder {
  #root: JsonObject = {};

  /** Returns false if a value was ignored, because its path is not supported. */
  add(value: Json | undefined): boolean {
    let isComplete = true;
    for (const entry of asArray(value)) {
      if (!isJsonObject(entry)) continue;
      const steps = parseJsonPath(asString(entry['jsonPath']) ?? '');
      const root = steps && setAtPath(this.#root, steps, (before) => appendValue(before, entry));
      if (isJsonObject(root)) this.#root = root;
      else isComplete = false;
    }
    return isComplete;
  }

  get text(): string {
    return JSON.stringify(this.#root);
  }
}

function appendValue(before: Slot, entry: JsonObject): Json {
  const text = entry['stringValue'];
  const plain = [entry['numberValue'], entry['boolValue']].find(isNonEmpty);
  // A part of a string may be empty. It is ignored if there is another value.
  if (typeof text === 'string' && (text !== '' || plain === undefined))
    return typeof before === 'string' ? before + text : text;
  return plain ?? null;
}

/** Returns the steps of a path; undefined if it has none, too many, or one that is not supported. */
function parseJsonPath(path: string): (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  STEP.lastIndex = path.startsWith('$') ? 1 : 0;
  while (STEP.lastIndex < path.length) {
    const [, name, index, single, double] = STEP.exec(path) ?? [];
    const step = index === undefined ? (name ?? unescapeName(single ?? double)) : Number(index);
    if (step === undefined || steps.length === MAX_STEPS) return undefined;
    steps.push(step);
  }
  return steps.length > 0 ? steps : undefined;
}

/** Decodes the escapes of a quoted name. They are those of JSON, and `\'`. */
function unescapeName(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  const json = quoted.replace(/\\.|"/g, (piece) => (piece === "\\'" ? "'" : piece === '"' ? '\\"' : piece));
  return asString(tryParseJson(`"${json}"`));
}

function setAtPath(target: Slot, steps: readonly (string | number)[], change: (before: Slot) => Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return change(target);
  if (typeof step === 'number') {
    const list = isJsonArray(target) ? [...target] : [];
    list[Math.min(step, list.length)] = setAtPath(list[step], rest, change);
    return list;
  }
  const object = isJsonObject(target) ? target : {};
  return {
    ...object,
    [step]: setAtPath(Object.hasOwn(object, step) ? object[step] : undefined, rest, change),
  };
}
