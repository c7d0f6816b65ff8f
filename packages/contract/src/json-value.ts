import * as z from 'zod';

/** The name of the schema for any JSON value in generated JSON Schema documents. */
export const JSON_VALUE_SCHEMA_ID = 'JsonValue';

type JsonValue = z.core.util.JSONType;

const jsonValueSchema: z.ZodType<JsonValue, JsonValue> = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.lazy(() => jsonValueSchema)),
    z.record(
      z.string(),
      z.lazy(() => jsonValueSchema),
    ),
  ])
  .meta({ id: JSON_VALUE_SCHEMA_ID });

/**
 * Creates the schema of any JSON value. Unlike with `z.json()`, the recursive schema has a name in generated
 * JSON Schema documents.
 */
export function createJsonValueField() {
  // Lazy, so that derived schemas use a reference. Otherwise, zod would name the parts of a described copy
  // itself.
  return z.lazy(() => jsonValueSchema);
}
