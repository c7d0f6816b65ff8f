import * as z from 'zod';

/** A moment as the API writes it: ISO 8601, UTC, milliseconds. Any offset is read. */
export const moment = z.iso.datetime({ offset: true }).meta({ examples: ['2027-01-01T00:00:00.000Z'] });

/** A moment, or a day of whatever time zone is asked for: its beginning. */
export const dayOrMoment = z.union([moment, z.iso.date()], 'is no moment and no day such as 2026-11-21');

/** Query parameters of every list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Rows per page.'),
  cursor: z.string().min(1).max(200).optional().describe('`next_cursor` of the page before.'),
});

/** Query parameters of every list over time: `from` is included, `to` is not. */
export const rangeQuery = pageQuery.extend({ from: moment.optional(), to: moment.optional() });

/** Answer of every list, newest first. `next_cursor` is null on the last page. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** Path parameters of everything with an id. Any text is one: what nothing has is a 404, not a 400. */
export const idParams = z.strictObject({ id: z.string() });
