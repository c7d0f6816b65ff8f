/**
 * Returns a query string with only the parameters for which `isRelevant` returns true. Two queries with the
 * same result request the same data. Pure.
 */
export function selectQueryParameters(query: URLSearchParams, isRelevant: (name: string) => boolean): string {
  return new URLSearchParams([...query].filter(([name]) => isRelevant(name))).toString();
}
