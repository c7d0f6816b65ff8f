import * as z from 'zod';
import { createListQuery, LIST_ORDERS, timestamp } from './page.ts';

const SLUG = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** So much a view may say, as JSON: a page's address holds no more. */
const MAX_FILTER_CHARS = 8_192;

const filters = z
  .record(z.string().max(100), z.json())
  .refine((value) => JSON.stringify(value).length <= MAX_FILTER_CHARS, {
    error: `has more than ${MAX_FILTER_CHARS} characters as JSON`,
  })
  .describe('State of the page. The server does not interpret it.');

const writableFields = {
  name: z.string().min(1).max(100),
  page: z.string().regex(SLUG, 'is no name of a page, such as requests').describe('Such as `requests`.'),
  filters,
  shared: z
    .boolean()
    .default(false)
    .describe('Whether everybody in the org sees it; that needs `management`.'),
};

const shown = { name: z.string(), page: z.string() };

/** Settings whose columns have the same name and value. */
export const storedViewFields = z.object(shown);

/** Filters of a page under a name. */
export const viewResource = z
  .strictObject({
    id: z.string(),
    ...shown,
    filters: z.record(z.string(), z.json()),
    shared: z.boolean(),
    own: z.boolean().describe('Whether the caller created it.'),
    created_at: timestamp,
    updated_at: timestamp,
    updated_by: z.string(),
  })
  .meta({ id: 'View' });
export type ViewResource = z.output<typeof viewResource>;

export const viewListQuery = createListQuery().extend({
  sort: z.enum(LIST_ORDERS).default('name'),
  page: z.string().max(64).optional(),
});
export const viewInput = z.strictObject(writableFields);
export const viewPatch = z.strictObject({
  ...z.strictObject(writableFields).partial().shape,
  shared: z.boolean().optional(),
});

/** As `view` shows it; what only the server says is read over. */
export const viewReplacement = z.strictObject({
  ...writableFields,
  id: z.unknown().optional(),
  own: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  updated_by: z.unknown().optional(),
});

/** An id that a client may choose. */
export const viewParams = z.strictObject({
  id: z.string().regex(SLUG, 'has up to 64 of a-z, 0-9, ., _ and -, and begins with a letter or a digit'),
});
