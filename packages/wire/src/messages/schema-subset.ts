import type { Json, JsonObject } from '@floe/contract/json';
import { isArray, isObject, numberOf } from '../json-read.ts';

/** Keywords that structured output refuses. The model still sees the description. */
const REFUSED = new Set(
  (
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern maxItems ' +
    'uniqueItems not minProperties maxProperties patternProperties propertyNames contains $schema'
  ).split(' '),
);
const FORMATS = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));
/** Members whose keys are names, not keywords. */
const NAMED = new Set(['properties', '$defs', 'definitions']);

/**
 * A schema in the subset that structured output takes: refused keywords go, `oneOf` becomes `anyOf`,
 * objects are closed. `lose` hears of each keyword that was lost.
 */
export function schemaSubset(schema: JsonObject, lose: (keyword: string) => void): JsonObject {
  const written: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (isRefused(key, value)) {
      if (key !== '$schema') lose(key);
    } else if (NAMED.has(key) && isObject(value))
      written[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, subsetOf(inner, lose)]),
      );
    else if (key === 'enum' || key === 'const' || key === 'default') written[key] = value;
    else written[key === 'oneOf' ? 'anyOf' : key] = subsetOf(value, lose);
  }
  if (schema['type'] === 'object') {
    if (schema['additionalProperties'] ?? false) lose('additionalProperties');
    written['additionalProperties'] = false;
  }
  return written;
}

function subsetOf(value: Json | undefined, lose: (keyword: string) => void): Json | undefined {
  if (isArray(value)) return value.map((entry) => subsetOf(entry, lose) ?? null);
  return isObject(value) ? schemaSubset(value, lose) : value;
}

function isRefused(key: string, value: Json | undefined): boolean {
  if (key === 'minItems') return (numberOf(value) ?? 0) > 1;
  if (key === 'format') return typeof value === 'string' && !FORMATS.has(value);
  return REFUSED.has(key);
}
