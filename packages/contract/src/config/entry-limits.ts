import * as z from 'zod';

let isParsingStored = false;

/** Returns whether a value that was stored earlier is being parsed, so that maximum numbers of entries do not apply. */
export function isParsingStoredValue(): boolean {
  return isParsingStored;
}

/**
 * Parses a value that was valid when it was stored. It can have more entries than `limitEntries` allows now. It remains
 * in effect and readable, because a guardrail must not stop applying, and a server must start, after an upgrade.
 * @throws ZodError if the value is invalid for another reason
 */
export function parseStoredValue<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  isParsingStored = true;
  try {
    return schema.parse(value);
  } finally {
    isParsingStored = false;
  }
}

/** Adds a maximum number of entries to the schema of a list or map. `parseStoredValue` does not apply it. */
export function limitEntries<Schema extends z.ZodType>(schema: Schema, maximum: number): Schema {
  const limited = schema.refine(
    (entries) => isParsingStored || Object.keys(Object(entries)).length <= maximum,
    `must have at most ${maximum} entries`,
  );
  return schema instanceof z.ZodArray ? limited.meta({ maxItems: maximum }) : limited;
}
