// Builders for our own JSON Schemas.
import type { Json, JsonObject } from '@floe/contract/json';

export type Schemas = Readonly<Record<string, Json>>;

export const TEXT: Json = { type: 'string' };
export const SAID: Json = { type: 'string', minLength: 1 };
export const NUMBER: Json = { type: 'number' };
export const INTEGER: Json = { type: 'integer' };
export const COUNT: Json = { type: 'integer', minimum: 0 };
export const BOOLEAN: Json = { type: 'boolean' };
export const MAP: Json = { type: 'object' };
export const NULL: Json = { type: 'null' };

export function between(minimum: number, maximum: number): Json {
  return { type: 'number', minimum, maximum };
}

export function list(items: Json, minItems = 0, maxItems = Number.MAX_SAFE_INTEGER): Json {
  return { type: 'array', items, minItems, maxItems };
}

export function oneOf(...choices: readonly Json[]): Json {
  return { anyOf: [...choices] };
}

export function nullable(schema: Json): Json {
  return oneOf(schema, NULL);
}

export function word(...words: readonly string[]): Json {
  return { type: 'string', enum: [...words] };
}

/** An object that may have other members. */
export function open(required: Schemas, optional: Schemas = {}): JsonObject {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

/** An object without other members. */
export function closed(required: Schemas, optional: Schemas = {}): JsonObject {
  return { ...open(required, optional), additionalProperties: false };
}
