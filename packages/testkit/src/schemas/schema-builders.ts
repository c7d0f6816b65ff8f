// Builders for JSON Schemas.
import type { Json, JsonObject } from '@floe/contract/json';

export type SchemaMembers = Readonly<Record<string, Json>>;

export const TEXT_SCHEMA: Json = { type: 'string' };
export const NON_EMPTY_TEXT_SCHEMA: Json = { type: 'string', minLength: 1 };
export const NUMBER_SCHEMA: Json = { type: 'number' };
export const INTEGER_SCHEMA: Json = { type: 'integer' };
export const COUNT_SCHEMA: Json = { type: 'integer', minimum: 0 };
export const BOOLEAN_SCHEMA: Json = { type: 'boolean' };
export const ANY_OBJECT_SCHEMA: Json = { type: 'object' };
export const NULL_SCHEMA: Json = { type: 'null' };

/** A number from `minimum` to `maximum`, inclusive. */
export function numberBetween(minimum: number, maximum: number): Json {
  return { type: 'number', minimum, maximum };
}

/** An array with `minItems` to `maxItems` items. */
export function arrayOf(items: Json, minItems = 0, maxItems = Number.MAX_SAFE_INTEGER): Json {
  return { type: 'array', items, minItems, maxItems };
}

/** A value that matches at least one of the schemas. */
export function oneOf(...choices: readonly Json[]): Json {
  return { anyOf: [...choices] };
}

/** A value that matches the schema, or null. */
export function nullableSchema(schema: Json): Json {
  return oneOf(schema, NULL_SCHEMA);
}

/** One of these texts. */
export function enumOf(...words: readonly string[]): Json {
  return { type: 'string', enum: [...words] };
}

/** An object that may have other members. */
export function openObject(required: SchemaMembers, optional: SchemaMembers = {}): JsonObject {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

/** An object without other members. */
export function closedObject(required: SchemaMembers, optional: SchemaMembers = {}): JsonObject {
  return { ...openObject(required, optional), additionalProperties: false };
}
