import { CounterFamily, GaugeFamily } from '../analytics/metric-families.ts';
import type { OpenedCounters } from '../store/counters/open-counters.ts';

/** How the store that processes share serves this one, for Prometheus; nothing where none is shared. */
export function sharedStoreMetrics(figures: OpenedCounters['sharedStoreStats']): { render(): string } {
  const away = new GaugeFamily({
    name: 'floe_shared_store_away',
    help: '1 while this process counts limits and budgets by itself, for the shared store does not answer.',
    labels: [],
  });
  const unheard = new CounterFamily({
    name: 'floe_shared_store_unheard_total',
    help: 'Requests that waited for the shared store and heard nothing in time, or an error.',
    labels: [],
  });
  const own = new CounterFamily({
    name: 'floe_shared_store_own_takes_total',
    help: 'Requests whose limits and budgets this process judged by itself, by outcome.',
    labels: ['outcome'],
  });
  return {
    render() {
      const now = figures();
      if (now === null) return '';
      for (const table of [away, unheard, own]) table.clear();
      away.add(now.isUnavailable ? 1 : 0);
      unheard.add(now.timeouts);
      own.add(now.localGrants, 'granted');
      own.add(now.localRejections, 'refused');
      return away.render() + unheard.render() + own.render();
    },
  };
}
