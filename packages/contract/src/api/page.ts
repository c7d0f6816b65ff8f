import * as z from 'zod';
import { createTimestampField } from '../config/fields.ts';

/**
 * A timestamp in ISO 8601. Responses use UTC with milliseconds. Requests may use any UTC offset.
 */
export const timestamp = createTimestampField().meta({ examples: ['2027-01-01T00:00:00.000Z'] });

/** A timestamp, or a date. A date means the start of that day in the requested time zone. */
export const dateOrTimestamp = z.union(
  [timestamp, z.iso.date()],
  'must be a timestamp or a date such as 2026-11-21',
);

/** The query parameters that every list accepts. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Maximum number of entries per page.'),
  cursor: z.string().min(1).max(1_200).optional().describe('Value of `next_cursor` in the previous page.'),
});

/** The sort orders that every list of resources supports. */
export const LIST_ORDERS = ['newest', 'oldest', 'name'] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

/**
 * Creates the schema for the query parameters of a resource list.
 *
 * @param own sort orders that only this list supports. The first one is the default of the list.
 */
export function createListQuerySchema<const Own extends string = never>(own: readonly Own[] = []) {
  return pageQuery.extend({
    sort: z
      .enum([...own, ...LIST_ORDERS])
      .optional()
      .describe(`Order of the entries. Defaults to \`${own[0] ?? LIST_ORDERS[0]}\`.`),
    search: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Only entries whose id or name contains this text. Case-insensitive.'),
  });
}

/**
 * The query parameters of lists that are sorted by time. `from` is inclusive, `to` is exclusive.
 */
export const timeRangeListQuery = pageQuery.extend({
  from: timestamp.optional().describe('Start of the time range, inclusive. Defaults to the oldest entry.'),
  to: timestamp.optional().describe('End of the time range, exclusive. Defaults to now.'),
});

/** Creates the response schema for one page of a list. `next_cursor` is null on the last page. */
export function createPageSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });
}

/**
 * The path parameters of a resource with an id. Any text is accepted, so that an unknown id causes the status
 * 404 and not 400.
 */
export const idParams = z.strictObject({ id: z.string() });
