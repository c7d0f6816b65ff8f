import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import type { DisplayStatus } from '../../ui/status.tsx';
import { getBreakerStateDisplay } from '../breakers/breaker-state-display.ts';

/** The statuses of breakers, the worst first. */
const ORDER: readonly DisplayStatus[] = ['failing', 'paused', 'waiting', 'partial', 'healthy'];

/**
 * Returns the breaker with the worst status for each `<provider>/<model>`. A model has one breaker for each
 * credential of its provider.
 */
export function findWorstBreakers<
  Row extends Pick<Breaker, 'provider' | 'model' | 'state' | 'forced' | 'wait_ms'>,
>(breakers: readonly Row[]): ReadonlyMap<string, Row> {
  const rank = (breaker: Row) => ORDER.indexOf(getBreakerStateDisplay(breaker).state);
  const worst = new Map<string, Row>();
  for (const breaker of breakers) {
    const model = `${breaker.provider}/${breaker.model}`;
    const other = worst.get(model);
    if (!other || rank(breaker) < rank(other)) worst.set(model, breaker);
  }
  return worst;
}
