/** The parameters of a query that count for something, as text: the same text asks for the same. Pure. */
export function selectQueryParameters(query: URLSearchParams, counts: (name: string) => boolean): string {
  return new URLSearchParams([...query].filter(([name]) => counts(name))).toString();
}
