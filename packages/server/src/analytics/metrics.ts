import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CounterTable, HistogramTable } from './figures.ts';

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

/**
 * Counters of this process. Read at each scrape: `backlog`, the rows on disk that the database has not taken, and
 * `more`, what another room counts, as text.
 */
export function createMetrics(backlog: () => number, more: () => Promise<string> = async () => ''): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const pending: Gauge = new Gauge({
    name: 'floe_row_backlog',
    help: 'Exchange rows on disk that the database has not taken yet.',
    registers: [registry],
    collect() {
      pending.set(backlog());
    },
  });
  const exchanges = new CounterTable({
    name: 'floe_exchanges_total',
    help: 'Exchanges by surface, provider, HTTP status and final state.',
    labels: ['surface', 'provider', 'status', 'state'],
  });
  const tokens = new CounterTable({
    name: 'floe_tokens_total',
    help: 'Tokens as the provider reported them.',
    labels: ['provider', 'direction'],
  });
  const latency = new HistogramTable(
    {
      name: 'floe_exchange_duration_seconds',
      help: 'From the accepted request to the last byte of its answer.',
      labels: ['surface', 'provider'],
    },
    LATENCY_BUCKETS_S,
  );
  const firstToken = new HistogramTable(
    {
      name: 'floe_first_token_seconds',
      help: 'From the accepted request to the first content of a streamed answer.',
      labels: ['surface', 'provider'],
    },
    LATENCY_BUCKETS_S,
  );
  return {
    exchange({ surface, provider, status, state, latencyMs, firstTokenMs, inputTokens, outputTokens }) {
      exchanges.add(1, surface, provider, String(status), state);
      latency.observe(latencyMs / 1000, surface, provider);
      if (firstTokenMs !== null) firstToken.observe(firstTokenMs / 1000, surface, provider);
      if (inputTokens > 0) tokens.add(inputTokens, provider, 'input');
      if (outputTokens > 0) tokens.add(outputTokens, provider, 'output');
    },
    async render() {
      const own = [exchanges, tokens, latency, firstToken].map((table) => table.render());
      return `${own.join('')}${await more()}${await registry.metrics()}`;
    },
    contentType: registry.contentType,
  };
}
