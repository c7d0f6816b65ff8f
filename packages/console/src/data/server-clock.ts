/** The server's time minus the browser's time in milliseconds, from the last response. */
let offsetMs = 0;

/** Updates the server's time from the `Date` header of a response. The header is rounded down to a second. */
export function updateServerTimeOffset(header: string | null, browserNowMs = Date.now()): void {
  const at = header === null ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(at)) offsetMs = at - browserNowMs;
}

/**
 * Returns the server's current time, for timestamps that requests contain. The clock of a browser may be
 * wrong by minutes. The result is at most about one second early, so it is not in the server's future.
 */
export function getServerTime(browserNowMs = Date.now()): Date {
  return new Date(browserNowMs + offsetMs);
}
