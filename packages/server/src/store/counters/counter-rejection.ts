/**
 * The shared store responded, but rejected a call because of the data in a counter. Calls for other counters still work,
 * so the store is not unavailable, and a repetition of the call cannot succeed.
 */
export class CounterRejection extends Error {}

/** Matches the errors of Redis about the type or the value of a key, and the errors of a script that cannot use it. */
const DATA_ERRORS =
  /WRONGTYPE|is not an integer|not a valid float|would overflow|out of range|attempt to |bad argument/;

/** Converts an error of a script to a `CounterRejection` if the data in a counter caused it. */
export function toCounterError(error: unknown): unknown {
  return error instanceof Error && DATA_ERRORS.test(error.message)
    ? new CounterRejection(error.message, { cause: error })
    : error;
}
