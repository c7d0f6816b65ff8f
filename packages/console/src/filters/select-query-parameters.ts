/**
 * Returns the relevant parameters of a query as text. Queries with the same text request the same data. Pure.
 */
export function selectQueryParameters(query: URLSearchParams, counts: (name: string) => boolean): string {
  return new URLSearchParams([...query].filter(([name]) => counts(name))).toString();
}
