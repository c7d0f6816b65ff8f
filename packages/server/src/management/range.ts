/** `from` and `to` of a validated query in milliseconds since the epoch. */
export function range(query: { readonly from?: string | undefined; readonly to?: string | undefined }) {
  return {
    from: query.from === undefined ? undefined : Date.parse(query.from),
    to: query.to === undefined ? undefined : Date.parse(query.to),
  };
}
