import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';

const MAX_DEPTH = 6;

/**
 * Returns a deterministic value that satisfies a JSON Schema. Supports only the schema keywords
 * that tools and response formats use.
 */
export function generateSchemaExample(schema: unknown, name = 'value', depth = 0): Json {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return 'example';
  const variant = firstItem(schema.anyOf) ?? firstItem(schema.oneOf) ?? firstItem(schema.allOf);
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const choice = firstItem(schema.enum);
  if (choice !== undefined) return choice;
  if (variant !== undefined) return generateSchemaExample(variant, name, depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return exampleObject(schema, depth);
    case 'array':
      return [generateSchemaExample(schema.items, name, depth + 1)];
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case undefined:
      return isJsonObject(schema.properties) ? exampleObject(schema, depth) : 'example';
    default:
      return `example ${name}`;
  }
}

function firstItem(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? list[0] : undefined;
}

function exampleObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : Object.keys(properties);
  const filled: Record<string, Json> = {};
  for (const name of new Set(required))
    if (typeof name === 'string') filled[name] = generateSchemaExample(properties[name], name, depth + 1);
  return filled;
}
