import * as z from 'zod';
import { configSource } from './config-source.ts';
import { timestamp } from './page.ts';

/** Fields that every answer with something of floe.yaml shows, and a client may send back unchanged. */
export const configEntryFields = {
  source: configSource,
  created_at: timestamp
    .nullable()
    .describe('Time of creation. `null` for values from environment variables.'),
  updated_at: timestamp.nullable(),
  updated_by: z.string().nullable().describe('Who made the last change: a key id, a member id or `file`.'),
};

/** The same, and its place among its like: in it, order counts. */
export const orderedConfigEntryFields = {
  position: z
    .int()
    .describe('Position in the order of evaluation, starting at 0. Entries of `floe.yaml` come first.'),
  ...configEntryFields,
};

/** Where a new entry goes among its like. */
export const positionField = z
  .int()
  .min(0)
  .nullish()
  .describe('Position in the order of evaluation, starting at 0. If absent, the entry is added at the end.');

/** A field that only answers carry. A request may send it back, where it is ignored. */
export const readOnlyField = z.unknown().optional().meta({ readOnly: true });

/** Written by whom and when says nothing in a request. */
export const readOnlyEntryFields = {
  id: readOnlyField,
  source: readOnlyField,
  created_at: readOnlyField,
  updated_at: readOnlyField,
  updated_by: readOnlyField,
};

/**
 * The fields of a request that writes an entry of floe.yaml: each as the file would have it, or absent, or null,
 * which is as good as absent. What must be there is checked against the schema of the file.
 */
export function toWritableFields(fields: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      withoutDefault(field).nullish().meta(descriptionOf(field)),
    ]),
  );
}

/** Without the default, which would be filled in where a client left the field as it is. */
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
