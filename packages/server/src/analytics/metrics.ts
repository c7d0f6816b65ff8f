import type { Registry } from 'prom-client';
import { ExchangeMetrics, type UsageMetricValues } from './exchange-metrics.ts';
import { CounterFamily, HistogramFamily } from './metric-families.ts';

/**
 * The values that one exchange adds to the counters. To limit the number of series, labels contain no keys or
 * paths, and only a limited number of models and providers.
 */
export interface ExchangeMetricValues extends UsageMetricValues {
  readonly status: number;
  readonly state: string;
  /**
   * Null for an exchange that called no provider, because the time of a rejection would distort the latency
   * of responses.
   */
  readonly latencyMs: number | null;
  readonly firstTokenMs: number | null;
  /** `hit`, `miss`, `bypass` or `refresh`. Null if the cache is disabled. */
  readonly cache: string | null;
}

/** The metrics of this process. */
export interface Metrics {
  recordExchange(figures: ExchangeMetricValues): void;
  /** Records one delivery attempt of an alert. `result` is an `AlertDeliveryResult`. */
  recordAlertAttempt(kind: string, result: string): void;
  /** Returns all metrics in the Prometheus text format. */
  render(): Promise<string>;
  readonly contentType: string;
}

const LATENCY_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * Creates the metrics of this process. Each scrape calls `backlog` (number of rows on disk that are not in
 * the database), `alertsQueued` (number of alert messages that wait in the database) and `renderOthers` (text
 * of other metrics).
 */
export function createMetrics(
  backlog: () => number,
  alertsQueued: () => Promise<number>,
  renderOthers: () => Promise<string> = async () => '',
): Metrics {
  let loading: Promise<Registry> | undefined;
  // Loaded by the first scrape, so that the start of the server does not wait for the library.
  const renderProcessMetrics = async () => {
    loading ??= import('./process-metrics.ts').then(({ createProcessMetrics: processMetrics }) =>
      processMetrics(backlog, alertsQueued),
    );
    return (await loading).metrics();
  };
  const alerts = createAlertFamily();
  const usage = new ExchangeMetrics();
  const { exchanges, caches, latency, firstToken } = createExchangeFamilies();
  return {
    recordExchange(figures) {
      const { surface, status, state, latencyMs, firstTokenMs, cache } = figures;
      const provider = usage.labelOfProvider(figures.orgId, figures.provider);
      exchanges.add(1, surface, provider, String(status), state);
      if (latencyMs !== null) latency.observe(latencyMs / 1000, surface, provider);
      if (firstTokenMs !== null) firstToken.observe(firstTokenMs / 1000, surface, provider);
      if (cache !== null) caches.add(1, surface, cache);
      // A cached response causes no usage.
      if (cache !== 'hit') usage.record(figures);
    },
    recordAlertAttempt(kind, result) {
      alerts.add(1, kind, result);
    },
    async render() {
      const own = [alerts, exchanges, usage, caches, latency, firstToken].map((table) => table.render());
      return `${own.join('')}${await renderOthers()}${await renderProcessMetrics()}`;
    },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  };
}

/** Creates the metric families to which each exchange adds. */
function createExchangeFamilies() {
  return {
    exchanges: new CounterFamily({
      name: 'floe_exchanges_total',
      help: 'Number of finished exchanges (gateway requests), by surface, provider, HTTP status code and state.',
      labels: ['surface', 'provider', 'code', 'state'],
    }),
    caches: new CounterFamily({
      name: 'floe_cache_requests_total',
      help: 'Number of exchanges with the response cache enabled, by surface and result (hit, miss, bypass or refresh).',
      labels: ['surface', 'result'],
    }),
    latency: new HistogramFamily(
      {
        name: 'floe_exchange_duration_seconds',
        help: 'Time from the request to the last byte of the response, for requests that reached a provider, by surface and provider.',
        labels: ['surface', 'provider'],
      },
      LATENCY_BUCKETS_S,
    ),
    firstToken: new HistogramFamily(
      {
        name: 'floe_time_to_first_token_seconds',
        help: 'Time from the request to the first content of a streamed response, by surface and provider.',
        labels: ['surface', 'provider'],
      },
      LATENCY_BUCKETS_S,
    ),
  };
}

function createAlertFamily(): CounterFamily {
  return new CounterFamily({
    name: 'floe_alert_delivery_attempts_total',
    help: 'Number of attempts to deliver an alert message, by channel kind and result (sent, retry or failed).',
    labels: ['channel_kind', 'result'],
  });
}
