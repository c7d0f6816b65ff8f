import { Fault } from '@floe/contract/faults';

const MAX_RANGE_MS = 3_660 * 86_400_000;

/** Converts `from` and `to` in a validated query to Unix milliseconds. */
export function parseTimeRange(query: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}) {
  return {
    from: query.from === undefined ? undefined : Date.parse(query.from),
    to: query.to === undefined ? undefined : Date.parse(query.to),
  };
}

/**
 * Rejects an invalid time range.
 * @throws Fault `invalid_request` if `fromMs` is not earlier than `toMs`, or if the range is longer than ten years
 */
export function requireValidTimeRange(fromMs: number, toMs: number): void {
  if (fromMs >= toMs)
    throw new Fault('invalid_request', 'from: must be earlier than "to"', { param: 'from' });
  if (toMs - fromMs > MAX_RANGE_MS)
    throw new Fault('invalid_request', 'from: the range must not exceed ten years', { param: 'from' });
}
