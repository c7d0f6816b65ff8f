import { CounterFamily, GaugeFamily, HistogramFamily } from './metric-families.ts';

const API_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics about the process: build, configuration, API calls and exchanges in progress. */
export class RuntimeMetrics {
  /** Returns the number of exchanges in progress. Set when the gateway has been created. */
  countInFlight: () => number = () => 0;
  readonly #build = new GaugeFamily({
    name: 'floe_build_info',
    help: 'Always 1. The labels are the version and commit of Floe and the version of Node.js.',
    labels: ['version', 'commit', 'node'],
  });
  readonly #inFlight = new GaugeFamily({
    name: 'floe_exchanges_in_flight',
    help: 'Number of exchanges in progress.',
    labels: [],
  });
  readonly #reloads = new CounterFamily({
    name: 'floe_config_reloads_total',
    help: 'Number of times that this process reloaded floe.yaml, by result (success or failure).',
    labels: ['result'],
  });
  readonly #lastReload = new GaugeFamily({
    name: 'floe_config_last_reload_success',
    help: 'Whether the last reload of floe.yaml succeeded (1) or failed (0).',
    labels: [],
  });
  readonly #api = new HistogramFamily(
    {
      name: 'floe_api_request_duration_seconds',
      help: 'Duration of requests to /api, by operation and HTTP status class.',
      labels: ['operation', 'status'],
    },
    API_BUCKETS_S,
  );
  #isApplied = true;

  constructor(version: string, commit: string) {
    this.#build.add(1, version, commit, process.versions.node);
  }

  recordReload(isApplied: boolean): void {
    this.#isApplied = isApplied;
    this.#reloads.add(1, isApplied ? 'success' : 'failure');
  }

  /** Counts a call of the API. @param operation null if no operation has the path */
  recordApiCall(operation: string | null, status: number, durationMs: number): void {
    this.#api.observe(durationMs / 1000, operation ?? 'unknown', `${Math.floor(status / 100)}xx`);
  }

  render(): string {
    for (const gauge of [this.#inFlight, this.#lastReload]) gauge.clear();
    this.#inFlight.add(this.countInFlight());
    this.#lastReload.add(this.#isApplied ? 1 : 0);
    const tables = [this.#build, this.#inFlight, this.#reloads, this.#lastReload, this.#api];
    return tables.map((table) => table.render()).join('');
  }
}
