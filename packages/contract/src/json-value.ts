import * as z from 'zod';

/** Name of the schema of any JSON value in schemas that are derived from it. */
export const JSON_VALUE_ID = 'JsonValue';

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
  .meta({ id: JSON_VALUE_ID });

/** Any JSON value. Unlike `z.json()`, its recursion has a name in the schemas that are derived from it. */
export function jsonValueField() {
  // A reference and not the schema: zod would name the parts of a described copy itself.
  return z.lazy(() => jsonValueSchema);
}
