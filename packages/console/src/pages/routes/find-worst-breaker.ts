import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { getBreakerStateDisplay } from '../breakers/breaker-state-display.ts';

/** The ranks of breakers, the worst first. Most are statuses; a paused breaker is forced open. */
const ORDER = ['failing', 'paused', 'waiting', 'partial', 'forced_closed', 'healthy'] as const;

/**
 * Returns the breaker with the worst status for each `<provider>/<model>`. A model has one breaker for each
 * credential of its provider.
 */
export function findWorstBreakers<
  Row extends Pick<Breaker, 'provider' | 'model' | 'state' | 'forced' | 'wait_ms'>,
>(breakers: readonly Row[]): ReadonlyMap<string, Row> {
  const rank = (breaker: Row) => {
    const { state } = getBreakerStateDisplay(breaker);
    return ORDER.findIndex((one) => one === (breaker.forced?.state === 'closed' ? 'forced_closed' : state));
  };
  const worst = new Map<string, Row>();
  for (const breaker of breakers) {
    const model = `${breaker.provider}/${breaker.model}`;
    const other = worst.get(model);
    if (!other || rank(breaker) < rank(other)) worst.set(model, breaker);
  }
  return worst;
}
