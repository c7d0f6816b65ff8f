import type { Json, JsonObject } from '@floe/contract/json';
import { asNumber, isJsonArray, isJsonObject } from '../json-narrowing.ts';

/** Keywords that structured output rejects. The model still receives the description. */
const UNSUPPORTED_KEYWORDS = new Set(
  (
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern maxItems ' +
    'uniqueItems not minProperties maxProperties patternProperties propertyNames contains $schema'
  ).split(' '),
);
const SUPPORTED_FORMATS = new Set(
  'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '),
);
/** Members whose keys are names rather than keywords. */
const NAME_MAPS = new Set(['properties', '$defs', 'definitions']);

/**
 * Converts a schema to the subset that structured output accepts: removes rejected keywords,
 * replaces `oneOf` with `anyOf` and disallows additional properties. Calls `onDropped` for each
 * removed keyword.
 */
export function toStructuredOutputSchema(
  schema: JsonObject,
  onDropped: (keyword: string) => void,
): JsonObject {
  const written: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (isUnsupported(key, value)) {
      if (key !== '$schema') onDropped(key);
    } else if (NAME_MAPS.has(key) && isJsonObject(value))
      written[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, convertValue(inner, onDropped)]),
      );
    else if (key === 'enum' || key === 'const' || key === 'default') written[key] = value;
    else written[key === 'oneOf' ? 'anyOf' : key] = convertValue(value, onDropped);
  }
  if (schema['type'] === 'object') {
    if (schema['additionalProperties'] ?? false) onDropped('additionalProperties');
    written['additionalProperties'] = false;
  }
  return written;
}

function convertValue(value: Json | undefined, onDropped: (keyword: string) => void): Json | undefined {
  if (isJsonArray(value)) return value.map((entry) => convertValue(entry, onDropped) ?? null);
  return isJsonObject(value) ? toStructuredOutputSchema(value, onDropped) : value;
}

function isUnsupported(key: string, value: Json | undefined): boolean {
  if (key === 'minItems') return (asNumber(value) ?? 0) > 1;
  if (key === 'format') return typeof value === 'string' && !SUPPORTED_FORMATS.has(value);
  return UNSUPPORTED_KEYWORDS.has(key);
}
