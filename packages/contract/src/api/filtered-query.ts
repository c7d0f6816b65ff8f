import type * as z from 'zod';

const METADATA_FILTER = /^metadata\.[^.]+$/;
/** Maximum number of metadata filters in a query. Each filter needs its own condition on every row. */
const MAX_METADATA_FILTERS = 20;

/**
 * Returns a check for queries with request filters. Accepts the fields of `shapes` and metadata filters such as
 * `metadata.team`, and rejects all other parameters and too many metadata filters.
 */
export function checkFilteredQuery(...shapes: readonly object[]) {
  return (context: z.core.ParsePayload<Readonly<Record<string, unknown>>>): void => {
    const names = Object.keys(context.value);
    const metadata = names.filter((name) => METADATA_FILTER.test(name));
    // `in` would also find inherited names, such as `constructor`.
    for (const name of names)
      if (!METADATA_FILTER.test(name) && !shapes.some((shape) => Object.hasOwn(shape, name)))
        context.issues.push({ code: 'unrecognized_keys', keys: [name], input: context.value });
    const excess = metadata[MAX_METADATA_FILTERS];
    if (excess !== undefined)
      context.issues.push({
        code: 'custom',
        path: [excess],
        message: `exceeds the maximum of ${MAX_METADATA_FILTERS} metadata filters`,
        input: context.value,
      });
  };
}
