import * as z from 'zod';
import { timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

/**
 * The read-only fields of all resources that floe.yaml can define: where a resource is defined, and who changed
 * it and when. A request may contain these fields, but they have no effect.
 */
export const resourceMetadataFields = {
  source: resourceSource,
  created_at: timestamp
    .nullable()
    .describe(
      'Time of creation. `null` for a value that Floe does not store, such as a default or the value of an environment variable.',
    ),
  updated_at: timestamp.nullable(),
  updated_by: z.string().nullable().describe('Who made the last change: a key id, a member id or `file`.'),
};

/**
 * The read-only fields of resources in a list whose order matters: the fields of all resources, and the
 * position in the list.
 */
export const orderedResourceMetadataFields = {
  position: z
    .int()
    .describe('Position in the evaluation order, starting at 0. Entries in `floe.yaml` come first.'),
  ...resourceMetadataFields,
};

/** The schema of the position at which a new entry is added to its list. */
export const positionField = z
  .int()
  .min(0)
  .nullish()
  .describe(
    'Position in the evaluation order, starting at 0. If absent, a new entry is added at the end, and an existing entry keeps its position.',
  );

/** The schema of a read-only field in a request. The server ignores its value. */
export const readOnlyField = z.unknown().optional().meta({ readOnly: true });

/**
 * The schemas of the read-only fields of a resource in a request. A request may contain these fields, but they
 * have no effect.
 */
export const readOnlyMetadataFields = {
  id: readOnlyField,
  source: readOnlyField,
  created_at: readOnlyField,
  updated_at: readOnlyField,
  updated_by: readOnlyField,
};

/**
 * Converts floe.yaml fields to the fields of a write request. Each field may also be absent or null, which
 * means that the field is not set. The floe.yaml schema checks later whether required fields are set.
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
