import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { memberValues, resolvePointer } from './schema-values.ts';

/** One value of every JSON type, and what programs forget: empty, negative and text that is a property of every object. */
const WRONG: readonly Json[] = [true, -1, '', 'constructor', [], [null], {}, { '': null }];

/** A value whose member at `place` has another type than its schema says, most of the time. */
export interface WrongTypeValue {
  /** As `orgs[0].relay.rules[0].match`. */
  readonly path: string;
  readonly value: Json;
}

export interface WrongTypesOptions {
  /** For the values that stand beside the wrong one. */
  readonly seed: number;
  /** Of every object on the way: with all optional members, or without any. */
  readonly siblings: 'all' | 'required';
  /** Objects at these places get the required members alone, to keep large documents small. */
  readonly smallAbove?: number;
  /** Put at every place, beside those that every place gets. */
  readonly more?: readonly Json[];
  /** Values of other types at each place, beside null; the next place gets the next ones. Absent: all of them. */
  readonly atOnce?: number;
}

/** More levels than any schema has that does not hold itself. */
const DEEPEST = 14;

/**
 * Walks through a JSON Schema and puts a value of each type at every place it describes, in turn. Everything beside that
 * place is valid on its own; whether it fits together no schema says.
 */
export function* generateWrongTypes(
  schema: Json | undefined,
  root: JsonObject,
  options: WrongTypesOptions,
): Generator<WrongTypeValue> {
  yield* new WrongTypeGenerator(root, options).values(schema, '', 0, (value) => value);
}

/** Values of which the fullest stands beside the wrong one. */
const SAMPLES = 6;
const sizeOf = (value: Json) => (value === null ? 0 : JSON.stringify(value).length);

type Build = (value: Json) => Json;

class WrongTypeGenerator {
  readonly #root: JsonObject;
  readonly #options: WrongTypesOptions;
  #next: number;
  readonly #samples = new WeakMap<JsonObject, Json>();

  constructor(root: JsonObject, options: WrongTypesOptions) {
    this.#root = root;
    this.#options = options;
    this.#next = options.seed;
  }

  *values(schema: Json | undefined, place: string, depth: number, build: Build): Generator<WrongTypeValue> {
    const { more = [], atOnce = WRONG.length } = this.#options;
    for (let n = 0; n < atOnce; n++) {
      yield { path: place, value: build(WRONG[this.#next % WRONG.length] ?? null) };
      this.#next += 1;
    }
    for (const value of [null, ...more]) yield { path: place, value: build(value) };
    yield* this.#inside(schema, place, depth, build);
  }

  *#inside(given: Json | undefined, place: string, depth: number, build: Build): Generator<WrongTypeValue> {
    const schema = this.#resolved(given);
    if (!isJsonObject(schema) || depth > DEEPEST) return;
    const { anyOf, oneOf, allOf, items, prefixItems, properties, additionalProperties } = schema;
    for (const choices of [anyOf, oneOf, allOf])
      if (Array.isArray(choices))
        for (const choice of choices) yield* this.#inside(choice, place, depth + 1, build);
    if (isJsonObject(items)) yield* this.values(items, `${place}[0]`, depth + 1, (value) => build([value]));
    if (Array.isArray(prefixItems))
      for (const [n, item] of prefixItems.entries())
        yield* this.values(item, `${place}[${n}]`, depth + 1, (value) => build([value]));
    const beside = isJsonObject(properties) ? this.#members(schema, properties, depth) : {};
    if (isJsonObject(properties))
      for (const [name, member] of Object.entries(properties))
        yield* this.values(member, place === '' ? name : `${place}.${name}`, depth + 1, (value) =>
          build({ ...beside, [name]: value }),
        );
    if (isJsonObject(additionalProperties))
      yield* this.values(additionalProperties, `${place}.*`, depth + 1, (value) =>
        build({ ...beside, k: value }),
      );
  }

  #members(schema: JsonObject, properties: JsonObject, depth: number): JsonObject {
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const isSmall = this.#options.siblings === 'required' || depth < (this.#options.smallAbove ?? 0);
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => !isSmall || required.includes(name))
        .map(([name, member]) => [name, this.#sample(name, member)]),
    );
  }

  #sample(name: string, schema: Json | undefined): Json {
    const known = isJsonObject(schema) ? this.#samples.get(schema) : undefined;
    if (known !== undefined) return known;
    const { seed } = this.#options;
    const several = fc.sample(memberValues(name, schema, this.#root), { numRuns: SAMPLES, seed });
    // What is null or empty passes over most of a server.
    const value = several.reduce(
      (fullest, other) => (sizeOf(other) > sizeOf(fullest) ? other : fullest),
      null,
    );
    if (isJsonObject(schema)) this.#samples.set(schema, value);
    return value;
  }

  #resolved(schema: Json | undefined): Json | undefined {
    const reference = isJsonObject(schema) ? schema['$ref'] : undefined;
    return typeof reference === 'string' ? resolvePointer(this.#root, reference) : schema;
  }
}

/** JSON text of a list in a list, and so on. */
export function nestedListJson(levels: number): Json {
  let value: Json = [];
  for (let n = 1; n < levels; n++) value = [value];
  return value;
}
