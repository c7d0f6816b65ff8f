import { createMetrics, type Metrics } from '../analytics/metrics.ts';
import type { RuntimeMetrics } from '../analytics/runtime-metrics.ts';
import { resolveWithFallback, systemClock } from '../core/clock.ts';
import type { LimitAndBudgetRuntime } from '../guardrails/limit-and-budget-runtime.ts';
import type { PolicyThreads } from '../guardrails/policies/policy-threads.ts';
import { type MonitoringCounters, renderMonitoringMetrics } from '../monitoring/monitoring-metrics.ts';
import { countAlertBacklog } from '../store/alert-deliveries.ts';
import type { BodySink } from '../store/spool/body-sink.ts';
import type { Database, RowSink } from '../store/store-interfaces.ts';
import { createPolicyThreadMetrics } from './policy-thread-metrics.ts';
import { createSharedStoreMetrics } from './shared-store-metrics.ts';

/**
 * Maximum time for which a scrape waits for metrics that need the database. It is shorter than the timeout of
 * any scraper.
 */
const SCRAPE_TIMEOUT_MS = 1_000;

/** The components with metrics. */
interface MeasuredComponents {
  readonly database: Database;
  readonly rows: Pick<RowSink, 'backlog'>;
  readonly bodies: Pick<BodySink, 'backlog'>;
  readonly guardrails: Pick<LimitAndBudgetRuntime, 'sharedStoreStats'>;
  readonly runtime: RuntimeMetrics;
  readonly policyThreads: PolicyThreads;
}

/** Creates the metrics that `/metrics` returns. */
export function createServerMetrics(
  { database, rows, bodies, guardrails, runtime, policyThreads }: MeasuredComponents,
  monitoring: MonitoringCounters,
  renderMore: readonly (() => string)[],
): Metrics {
  const sharedStore = createSharedStoreMetrics(guardrails.sharedStoreStats);
  const policies = createPolicyThreadMetrics(policyThreads);
  const others = [...renderMore, sharedStore.render, policies.render, () => runtime.render()];
  const monitoringNow = () => renderMonitoringMetrics(database, monitoring);
  return createMetrics(
    () => rows.backlog() + bodies.backlog(),
    () => resolveWithFallback(systemClock, SCRAPE_TIMEOUT_MS, countAlertBacklog(database.read), Number.NaN),
    async () =>
      others.map((render) => render()).join('') +
      (await resolveWithFallback(systemClock, SCRAPE_TIMEOUT_MS, monitoringNow(), monitoring.render())),
  );
}
