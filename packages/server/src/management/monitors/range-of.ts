import { Fault } from '@floe/contract/faults';

const DAY_MS = 86_400_000;
const DEFAULT_MS = 30 * DAY_MS;
const LONGEST_MS = 3_660 * DAY_MS;

/** The range a query means, in milliseconds. @throws Fault `invalid_request` for one that ends before it begins */
export function rangeOf(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_MS : Date.parse(query.from);
  if (fromMs >= toMs) throw new Fault('invalid_request', 'from: lies not before to', { param: 'from' });
  if (toMs - fromMs > LONGEST_MS)
    throw new Fault('invalid_request', 'from: a range may have ten years', { param: 'from' });
  return { fromMs, toMs };
}
