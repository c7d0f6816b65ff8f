import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Figures of the process and its queues, as they are at each scrape; rates of the process count from the first one. */
export function processMetrics(backlog: () => number, alertsQueued: () => Promise<number>): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gaugeBacklog(registry, backlog);
  gaugeAlerts(registry, alertsQueued);
  return registry;
}

function gaugeBacklog(registry: Registry, backlog: () => number): void {
  const pending: Gauge = new Gauge({
    name: 'floe_row_backlog',
    help: 'Exchange rows on disk that the database has not taken yet.',
    registers: [registry],
    collect() {
      pending.set(backlog());
    },
  });
}

function gaugeAlerts(registry: Registry, alertsQueued: () => Promise<number>): void {
  const queued: Gauge = new Gauge({
    name: 'floe_alerts_queued',
    help: 'Alert messages that wait to be sent, of the whole installation.',
    registers: [registry],
    async collect() {
      // A store that is away must not take the other figures with it.
      queued.set(await alertsQueued().catch(() => Number.NaN));
    },
  });
}
