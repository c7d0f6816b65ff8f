import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Creates the metrics about the process and its queues. Each scrape computes them. */
export function createProcessMetrics(backlog: () => number, alertsQueued: () => Promise<number>): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // These gauges have names that end like counters. `nodejs_active_resources` and similar metrics have the
  // same values by type.
  for (const name of MISNAMED_GAUGES) registry.removeSingleMetric(name);
  includeStartupCpu(registry);
  registerBacklogGauge(registry, backlog);
  registerAlertsGauge(registry, alertsQueued);
  return registry;
}

const MISNAMED_GAUGES = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * Adds the CPU time before the first scrape, because prom-client starts to count when it is loaded, and
 * Prometheus expects values since the start of the process.
 */
function includeStartupCpu(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  const before: Readonly<Record<string, number>> = {
    process_cpu_user_seconds_total: user,
    process_cpu_system_seconds_total: system,
    process_cpu_seconds_total: user + system,
  };
  for (const [name, micros] of Object.entries(before)) {
    const counter = registry.getSingleMetric(name);
    if (counter instanceof Counter) counter.inc(micros / 1e6);
  }
}

function registerBacklogGauge(registry: Registry, backlog: () => number): void {
  const pending: Gauge = new Gauge({
    name: 'floe_spool_pending_rows',
    help: 'Number of request rows in the spool that are not in the database yet.',
    registers: [registry],
    collect() {
      pending.set(backlog());
    },
  });
}

function registerAlertsGauge(registry: Registry, alertsQueued: () => Promise<number>): void {
  const queued: Gauge = new Gauge({
    name: 'floe_alert_messages_pending',
    help: 'Number of alert messages that are waiting for delivery, in the whole installation.',
    registers: [registry],
    async collect() {
      // If the database is unavailable, the other metrics must still be returned.
      queued.set(await alertsQueued().catch(() => Number.NaN));
    },
  });
}
