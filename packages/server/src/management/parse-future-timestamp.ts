import { Fault } from '@floe/contract/faults';

/**
 * Parses the timestamp of a request field that must be in the future. Returns null if the field is absent.
 * @param current value of the field before the change; this time may have passed
 * @throws Fault `invalid_request` if it is a new value that is in the past
 */
export function parseFutureTimestamp(
  field: string,
  moment: string | null | undefined,
  nowMs: number,
  current: number | null = null,
): number | null {
  if (moment == null) return null;
  const at = Date.parse(moment);
  if (at <= nowMs && at !== current)
    throw new Fault(
      'invalid_request',
      `${field}: must be in the future, got ${moment}. The server's time is ${new Date(nowMs).toISOString()}.`,
      { param: field },
    );
  return at;
}
