import { CounterFamily, GaugeFamily } from '../analytics/metric-families.ts';
import type { OpenCountersResult } from '../store/counters/open-counters.ts';

/**
 * Creates the metrics about the shared store. `render` returns them in the Prometheus text format; the text
 * is empty if there is no shared store.
 */
export function createSharedStoreMetrics(stats: OpenCountersResult['sharedStoreStats']): {
  render(): string;
} {
  const up = new GaugeFamily({
    name: 'floe_shared_store_up',
    help: 'Whether this process counts requests and spending in the shared store (1), or locally because the shared store does not respond (0). The shared store is Redis or Valkey, or the supervisor of several processes.',
    labels: [],
  });
  const errors = new CounterFamily({
    name: 'floe_shared_store_errors_total',
    help: 'Number of limit and budget checks for which the shared store returned an error or timed out.',
    labels: [],
  });
  const own = new CounterFamily({
    name: 'floe_shared_store_local_fallback_total',
    help: 'Number of requests whose limits and budgets this process checked without the shared store, by result (granted or rejected).',
    labels: ['result'],
  });
  return {
    render() {
      const now = stats();
      if (now === null) return '';
      for (const table of [up, errors, own]) table.clear();
      up.add(now.isUnavailable ? 0 : 1);
      errors.add(now.errors);
      own.add(now.localGrants, 'granted');
      own.add(now.localRejections, 'rejected');
      return up.render() + errors.render() + own.render();
    },
  };
}
