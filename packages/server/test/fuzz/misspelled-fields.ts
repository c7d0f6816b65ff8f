import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { resolvePointer } from './schema-values.ts';

/** A body with a misspelled field. */
export interface MisspelledField {
  /** The object that has the field: `rules[0].match`. Empty for the body. */
  readonly place: string;
  readonly field: string;
  readonly value: Json;
}

/** More levels than any schema has that does not contain itself. */
const MAX_DEPTH = 10;

/** An object or value of the body. */
interface Place {
  readonly name: string;
  readonly depth: number;
  /** Returns the body in which this place has a value. */
  build(value: Json): Json;
}

/**
 * Generates a value for each object that a JSON Schema describes. The object has one of its fields misspelled and
 * nothing else, and the objects around it only the fields on the way. What is required is missing: an unknown
 * field is reported first.
 */
export function* generateMisspelledFields(
  schema: Json | undefined,
  root: JsonObject,
): Generator<MisspelledField> {
  yield* inside(schema, root, { name: '', depth: 0, build: (value) => value });
}

function* inside(given: Json | undefined, root: JsonObject, place: Place): Generator<MisspelledField> {
  const reference = isJsonObject(given) ? given['$ref'] : undefined;
  const schema = typeof reference === 'string' ? resolvePointer(root, reference) : given;
  if (!isJsonObject(schema) || place.depth > MAX_DEPTH) return;
  const { anyOf, oneOf, allOf, items, properties, additionalProperties } = schema;
  const below = (name: string, wrap: (value: Json) => Json): Place => ({
    name: `${place.name}${name}`,
    depth: place.depth + 1,
    build: (value) => place.build(wrap(value)),
  });
  for (const choices of [anyOf, oneOf, allOf])
    if (Array.isArray(choices))
      for (const choice of choices) yield* inside(choice, root, { ...place, depth: place.depth + 1 });
  if (isJsonObject(items))
    yield* inside(
      items,
      root,
      below('[0]', (value) => [value]),
    );
  if (isJsonObject(additionalProperties))
    yield* inside(
      additionalProperties,
      root,
      below('.*', (value) => ({ k: value })),
    );
  if (!isJsonObject(properties)) return;
  const longest = Object.keys(properties).reduce(
    (one, other) => (other.length > one.length ? other : one),
    '',
  );
  const field = `${longest}${longest.at(-1) ?? 'x'}`;
  yield { place: place.name, field, value: place.build({ [field]: 1 }) };
  for (const [name, member] of Object.entries(properties))
    yield* inside(
      member,
      root,
      below(place.name === '' ? name : `.${name}`, (value) => ({ [name]: value })),
    );
}
