import * as z from 'zod';
import { createJsonValueField } from '../json-value.ts';
import { createListQuerySchema, LIST_ORDERS, timestamp } from './page.ts';
import { readOnlyField } from './resource-fields.ts';

const SLUG = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Maximum length of a view as JSON, because it must fit into a page URL. */
const MAX_FILTER_CHARS = 8_192;

const filters = z
  .record(z.string().max(100), createJsonValueField())
  .refine((value) => JSON.stringify(value).length <= MAX_FILTER_CHARS, {
    error: `must be at most ${MAX_FILTER_CHARS} characters long as JSON`,
  })
  .describe('Filters and other state of the page. The server does not interpret this value.');

const writableFields = {
  name: z.string().min(1).max(100).describe('Name of the view.'),
  page: z
    .string()
    .regex(SLUG, 'must be the name of a console page, such as "requests"')
    .describe('Name of the page, such as `requests`.'),
  filters,
  shared: z
    .boolean()
    .default(false)
    .describe(
      'Whether all members of the organization can see the view. `true` requires the scope `management`.',
    ),
};

const shown = { name: z.string(), page: z.string() };

/** The view settings whose names and values are the same in the API and in the database columns. */
export const savedViewFieldsStoredAsIs = z.object(shown);

/** A saved view: named filters for a page of the console. */
export const savedViewResource = z
  .strictObject({
    id: z.string(),
    ...shown,
    filters: z.record(z.string(), createJsonValueField()),
    shared: z.boolean(),
    own: z.boolean().describe('Whether the caller created the view.'),
    created_at: timestamp,
    updated_at: timestamp,
    updated_by: z.string(),
  })
  .meta({ id: 'View' });
export type SavedViewResource = z.output<typeof savedViewResource>;

export const savedViewListQuery = createListQuerySchema().extend({
  sort: z.enum(LIST_ORDERS).default('name').describe('Order of the entries. Defaults to `name`.'),
  page: z.string().max(64).optional().describe('Only views of this page.'),
});
export const savedViewCreation = z.strictObject(writableFields);
/** The request to update a saved view. Absent fields keep their values. */
export const savedViewPatch = z.strictObject({
  ...z.strictObject(writableFields).partial().shape,
  shared: writableFields.shared
    .unwrap()
    .optional()
    .describe(
      'Whether all members of the organization can see the view. `true` requires the scope `management`.',
    ),
});

/** The request to replace a saved view. It accepts the response of `GET`. Read-only fields are ignored. */
export const savedViewReplacement = z.strictObject({
  ...writableFields,
  id: readOnlyField,
  own: readOnlyField,
  created_at: readOnlyField,
  updated_at: readOnlyField,
  updated_by: readOnlyField,
});

/** The path parameters of a saved view. The client may choose the id. */
export const savedViewParams = z.strictObject({
  id: z
    .string()
    .regex(
      SLUG,
      'must start with a lowercase letter or a digit, contain only lowercase letters, digits, ".", "_" and "-", and have at most 64 characters',
    ),
});
