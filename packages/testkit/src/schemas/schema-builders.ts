// Builders for JSON Schemas.
import type { Json, JsonObject } from '@floe/contract/json';

export type SchemaMembers = Readonly<Record<string, Json>>;

export const STRING_SCHEMA: Json = { type: 'string' };
export const NON_EMPTY_STRING_SCHEMA: Json = { type: 'string', minLength: 1 };
export const NUMBER_SCHEMA: Json = { type: 'number' };
export const INTEGER_SCHEMA: Json = { type: 'integer' };
export const COUNT_SCHEMA: Json = { type: 'integer', minimum: 0 };
export const BOOLEAN_SCHEMA: Json = { type: 'boolean' };
export const ANY_OBJECT_SCHEMA: Json = { type: 'object' };
export const NULL_SCHEMA: Json = { type: 'null' };

/** Returns the schema of a number from `minimum` to `maximum`, inclusive. */
export function numberBetween(minimum: number, maximum: number): Json {
  return { type: 'number', minimum, maximum };
}

/** Returns the schema of an array with `minItems` to `maxItems` items. */
export function arrayOf(items: Json, minItems = 0, maxItems = Number.MAX_SAFE_INTEGER): Json {
  return { type: 'array', items, minItems, maxItems };
}

/** Returns the schema of a value that matches at least one of the schemas. */
export function anyOf(...choices: readonly Json[]): Json {
  return { anyOf: [...choices] };
}

/** Returns the schema of a value that matches `schema` or is null. */
export function nullableSchema(schema: Json): Json {
  return anyOf(schema, NULL_SCHEMA);
}

/** Returns the schema of a value that is one of these strings. */
export function enumOf(...words: readonly string[]): Json {
  return { type: 'string', enum: [...words] };
}

/** Returns the schema of an object that may have other members. */
export function openObject(required: SchemaMembers, optional: SchemaMembers = {}): JsonObject {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

/** Returns the schema of an object without other members. */
export function closedObject(required: SchemaMembers, optional: SchemaMembers = {}): JsonObject {
  return { ...openObject(required, optional), additionalProperties: false };
}
