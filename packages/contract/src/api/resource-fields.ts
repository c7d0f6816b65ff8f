import * as z from 'zod';
import { timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

/**
 * The fields that all responses with floe.yaml resources have. A request may contain these fields, but
 * they have no effect.
 */
export const resourceMetadataFields = {
  source: resourceSource,
  created_at: timestamp
    .nullable()
    .describe('Time of creation. `null` for values from environment variables.'),
  updated_at: timestamp.nullable(),
  updated_by: z.string().nullable().describe('Who made the last change: a key id, a member id or `file`.'),
};

/**
 * The fields that all responses with floe.yaml resources have, plus the position in a list whose
 * order matters.
 */
export const orderedResourceMetadataFields = {
  position: z
    .int()
    .describe('Position in the evaluation order, starting at 0. Entries in `floe.yaml` come first.'),
  ...resourceMetadataFields,
};

/** The position of a new entry in its list. */
export const positionField = z
  .int()
  .min(0)
  .nullish()
  .describe('Position in the evaluation order, starting at 0. If absent, the entry is added at the end.');

/** A read-only field. A request may contain it, and the server ignores it. */
export const readOnlyField = z.unknown().optional().meta({ readOnly: true });

/**
 * The read-only fields that state who changed an entry and when. A request may contain these fields,
 * but they have no effect.
 */
export const readOnlyMetadataFields = {
  id: readOnlyField,
  source: readOnlyField,
  created_at: readOnlyField,
  updated_at: readOnlyField,
  updated_by: readOnlyField,
};

/**
 * Converts floe.yaml fields to the fields of a write request. Each field may also be absent or null.
 * Both mean that the field is not set. The floe.yaml schema checks required fields.
 */
export function toWritableFields(fields: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      withoutDefault(field).nullish().meta(descriptionOf(field)),
    ]),
  );
}

/** Removes the default. Otherwise, the default would replace a field that the client did not change. */
function withoutDefault(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault || field instanceof z.ZodOptional) {
    const inner = field.unwrap();
    return inner instanceof z.ZodType ? withoutDefault(inner) : field;
  }
  return field;
}

function descriptionOf(field: z.ZodType): { description?: string } {
  return field.description === undefined ? {} : { description: field.description };
}
