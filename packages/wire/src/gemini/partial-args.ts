import type { Json, JsonObject } from '@floe/contract/json';
import { isArray, isObject, listOf, says, textOf } from '../json-read.ts';

type Slot = Json | undefined;

/**
 * Builds a call's arguments from streamed `partialArgs`: each names a place by JSON path and brings a
 * value or the next piece of a string. Only `$.name`, `['name']` and `[0]` steps occur.
 */
export class PartialArgs {
  #root: JsonObject = {};

  add(value: Json | undefined): void {
    for (const entry of listOf(value)) {
      if (!isObject(entry)) continue;
      const steps = stepsOf(textOf(entry['jsonPath']) ?? '');
      const root = put(this.#root, steps, (before) => joined(before, entry));
      if (isObject(root)) this.#root = root;
    }
  }

  get text(): string {
    return JSON.stringify(this.#root);
  }
}

function joined(before: Slot, entry: JsonObject): Json {
  const text = entry['stringValue'];
  const plain = [entry['numberValue'], entry['boolValue']].find(says);
  // A piece of a string may be empty; beside another value that says nothing.
  if (typeof text === 'string' && (text !== '' || plain === undefined))
    return typeof before === 'string' ? before + text : text;
  return plain ?? null;
}

function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d{1,6})\]|\['([^']*)'\]/g)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? '') : Number(index),
  );
}

function put(target: Slot, steps: readonly (string | number)[], change: (before: Slot) => Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return change(target);
  if (typeof step === 'number') {
    const list = isArray(target) ? [...target] : [];
    list[Math.min(step, list.length)] = put(list[step], rest, change);
    return list;
  }
  const object = isObject(target) ? target : {};
  return { ...object, [step]: put(Object.hasOwn(object, step) ? object[step] : undefined, rest, change) };
}
