import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asString, isJsonArray, isJsonObject, isNonEmpty } from '../json-narrowing.ts';

type Slot = Json | undefined;

/**
 * Builds a call's arguments from streamed `partialArgs`. Each element has a JSON path, and the value at this path
 * or the next part of it if it is a string. Only the path steps `$.name`, `['name']` and `[0]` are supported.
 */
export class PartialArgumentsBuilder {
  #root: JsonObject = {};

  add(value: Json | undefined): void {
    for (const entry of asArray(value)) {
      if (!isJsonObject(entry)) continue;
      const steps = parseJsonPath(asString(entry['jsonPath']) ?? '');
      const root = setAtPath(this.#root, steps, (before) => appendValue(before, entry));
      if (isJsonObject(root)) this.#root = root;
    }
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

function parseJsonPath(path: string): (string | number)[] {
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d{1,6})\]|\['([^']*)'\]/g)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? '') : Number(index),
  );
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
