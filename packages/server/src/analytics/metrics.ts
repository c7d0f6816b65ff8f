import type { Registry } from 'prom-client';
import { ExchangeMetrics, type UsageFigures } from './exchange-metrics.ts';
import { CounterFamily, HistogramFamily } from './metric-families.ts';

/** What one exchange adds to the counters. Labels are bounded: no key, no path, and a limited number of models. */
export interface ExchangeFigures extends UsageFigures {
  readonly status: number;
  readonly state: string;
  /** Null for an exchange that reached no upstream: how fast Floe refuses says nothing about answers. */
  readonly latencyMs: number | null;
  readonly firstTokenMs: number | null;
  /** hit, miss, bypass or refresh; null while the cache is off. */
  readonly cache: string | null;
}

export interface Metrics {
  recordExchange(figures: ExchangeFigures): void;
  /** One try of an alert message: its channel's kind, and whether it was sent, failed or is given up. */
  recordAlertAttempt(kind: string, result: string): void;
  /** The Prometheus text exposition. */
  render(): Promise<string>;
  readonly contentType: string;
}

const LATENCY_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * Counters of this process. Read at each scrape: `backlog`, rows on disk the database has not taken,
 * `alertsQueued`, alert messages that wait in the database, and `more`, the exposition of what others count.
 */
export function createMetrics(
  backlog: () => number,
  alertsQueued: () => Promise<number>,
  renderOthers: () => Promise<string> = async () => '',
): Metrics {
  let loading: Promise<Registry> | undefined;
  // With the first scrape and not with the process: nobody waits for a library to start a server.
  const renderProcessMetrics = async () => {
    loading ??= import('./process-metrics.ts').then(({ processMetrics }) =>
      processMetrics(backlog, alertsQueued),
    );
    return (await loading).metrics();
  };
  const alerts = createAlertFamily();
  const usage = new ExchangeMetrics();
  const { exchanges, caches, latency, firstToken } = createExchangeFamilies();
  return {
    recordExchange(figures) {
      const { surface, provider, status, state, latencyMs, firstTokenMs, cache } = figures;
      exchanges.add(1, surface, provider, String(status), state);
      if (latencyMs !== null) latency.observe(latencyMs / 1000, surface, provider);
      if (firstTokenMs !== null) firstToken.observe(firstTokenMs / 1000, surface, provider);
      if (cache !== null) caches.add(1, surface, cache);
      // What a kept answer once cost is not used up again.
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

/** What every exchange is counted in. */
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
        help: 'Time from the request to the last byte of the response, for requests that reached a provider.',
        labels: ['surface', 'provider'],
      },
      LATENCY_BUCKETS_S,
    ),
    firstToken: new HistogramFamily(
      {
        name: 'floe_time_to_first_token_seconds',
        help: 'Time from the request to the first content of a streamed response.',
        labels: ['surface', 'provider'],
      },
      LATENCY_BUCKETS_S,
    ),
  };
}

function createAlertFamily(): CounterFamily {
  return new CounterFamily({
    name: 'floe_alert_delivery_attempts_total',
    help: 'Number of attempts to deliver an alert message, by kind of channel and result (sent, retry or failed).',
    labels: ['channel_kind', 'result'],
  });
}
