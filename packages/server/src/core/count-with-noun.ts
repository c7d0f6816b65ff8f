/**
 * Returns a count with its noun, as in `1 route` and `3 routes`.
 * @param plural by default, the singular with an s
 */
export function formatCountWithNoun(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
