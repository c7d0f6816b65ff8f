/** The server's time minus the browser's time in milliseconds, from the last response. */
let offsetMs = 0;

/**
 * Updates the difference between the server’s clock and the browser’s clock.
 * @param header The `Date` header of a response, which has a resolution of one second.
 */
export function updateServerTimeOffset(header: string | null, browserNowMs = Date.now()): void {
  const at = header === null ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(at)) offsetMs = at - browserNowMs;
}

/**
 * Returns the server's current time, for timestamps in requests. The browser's clock can be wrong by minutes.
 * The result is up to one second early, so the server never treats it as a future time.
 */
export function getServerTime(browserNowMs = Date.now()): Date {
  return new Date(browserNowMs + offsetMs);
}

/**
 * Below this difference in milliseconds, the browser's clock counts as correct. It is then more exact than the time
 * of a response.
 */
const TOLERANCE_MS = 60_000;

/**
 * Returns the current time, for displayed times and for time ranges. If the browser's clock is wrong by more than a
 * minute, uses the server's time.
 */
export function getCurrentTime(browserNowMs = Date.now()): Date {
  return Math.abs(offsetMs) < TOLERANCE_MS ? new Date(browserNowMs) : getServerTime(browserNowMs);
}
