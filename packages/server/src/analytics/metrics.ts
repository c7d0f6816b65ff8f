import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What one exchange adds to the counters. Labels are few and bounded: no model, no key, no path. */
export interface ExchangeFigures {
  readonly surface: string;
  readonly provider: string;
  readonly status: number;
  readonly state: string;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Metrics {
  exchange(figures: ExchangeFigures): void;
  /** The Prometheus text exposition. */
  render(): Promise<string>;
  readonly contentType: string;
}

const LATENCY_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Counters of this process. `backlog` is read at each scrape: rows on disk the database has not taken. */
export function createMetrics(backlog: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const exchanges = new Counter({
    name: 'floe_exchanges_total',
    help: 'Exchanges by surface, provider, HTTP status and final state.',
    labelNames: ['surface', 'provider', 'status', 'state'] as const,
    registers,
  });
  const tokens = new Counter({
    name: 'floe_tokens_total',
    help: 'Tokens as the provider reported them.',
    labelNames: ['provider', 'direction'] as const,
    registers,
  });
  const latency = new Histogram({
    name: 'floe_exchange_duration_seconds',
    help: 'From the accepted request to the last byte of its answer.',
    labelNames: ['surface', 'provider'] as const,
    buckets: LATENCY_BUCKETS_S,
    registers,
  });
  const firstToken = new Histogram({
    name: 'floe_first_token_seconds',
    help: 'From the accepted request to the first content of a streamed answer.',
    labelNames: ['surface', 'provider'] as const,
    buckets: LATENCY_BUCKETS_S,
    registers,
  });
  const pending: Gauge = new Gauge({
    name: 'floe_row_backlog',
    help: 'Exchange rows on disk that the database has not taken yet.',
    registers,
    collect() {
      pending.set(backlog());
    },
  });
  return {
    exchange({ surface, provider, status, state, latencyMs, firstTokenMs, inputTokens, outputTokens }) {
      exchanges.inc({ surface, provider, status, state });
      latency.observe({ surface, provider }, latencyMs / 1000);
      if (firstTokenMs !== null) firstToken.observe({ surface, provider }, firstTokenMs / 1000);
      if (inputTokens > 0) tokens.inc({ provider, direction: 'input' }, inputTokens);
      if (outputTokens > 0) tokens.inc({ provider, direction: 'output' }, outputTokens);
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
