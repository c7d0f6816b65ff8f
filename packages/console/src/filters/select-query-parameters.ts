/**
 * Returns the parameters of a query for which `isRelevant` returns true, as text. Two queries with the same
 * text request the same data. Pure.
 */
export function selectQueryParameters(query: URLSearchParams, isRelevant: (name: string) => boolean): string {
  return new URLSearchParams([...query].filter(([name]) => isRelevant(name))).toString();
}
