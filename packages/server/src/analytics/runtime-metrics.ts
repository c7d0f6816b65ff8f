import { CounterFamily, GaugeFamily, HistogramFamily } from './metric-families.ts';

const API_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The limits that reject requests because of overload. */
const OVERLOAD_REASONS = [
  'concurrent_requests',
  'event_loop_delay',
  'body_memory',
  'body_disk',
  'arriving_bodies',
] as const;
/** The overload limit that caused the rejection of a request. */
export type OverloadReason = (typeof OVERLOAD_REASONS)[number];

/** The gateway's current load and limits. */
export interface GatewayLoad {
  /** Number of exchanges in progress. */
  readonly inFlight: number;
  /** Maximum number of exchanges in progress. */
  readonly concurrencyLimit: number;
  /** Size of the request bodies in progress and of the buffered responses, in bytes. */
  readonly bodyBytes: number;
  /** Size of the request bodies in temporary files, in bytes. */
  readonly bodyDiskBytes: number;
}

/** Metrics about the process: build, configuration, management API calls and exchanges in progress. */
export class RuntimeMetrics {
  /** Returns the load of the gateway. Replaced when the gateway has been created. */
  readLoad: () => GatewayLoad = () => ({ inFlight: 0, concurrencyLimit: 0, bodyBytes: 0, bodyDiskBytes: 0 });
  readonly #build = new GaugeFamily({
    name: 'floe_build_info',
    help: 'Always 1. The labels are the version and commit of Floe and the version of Node.js.',
    labels: ['version', 'commit', 'node'],
  });
  readonly #inFlight = new GaugeFamily({
    name: 'floe_exchanges_in_flight',
    help: 'Number of exchanges in progress, excluding those whose request body is still arriving.',
    labels: [],
  });
  readonly #concurrencyLimit = new GaugeFamily({
    name: 'floe_exchanges_limit',
    help: 'Maximum number of exchanges in progress. Floe lowers this limit while the event loop is delayed.',
    labels: [],
  });
  readonly #bodyBytes = new GaugeFamily({
    name: 'floe_request_bodies_bytes',
    help: 'Total size in bytes of the request bodies in memory, including bodies that are still arriving, and of the responses that Floe buffers.',
    labels: [],
  });
  readonly #bodyDiskBytes = new GaugeFamily({
    name: 'floe_request_bodies_disk_bytes',
    help: 'Total size in bytes of the request bodies in temporary files.',
    labels: [],
  });
  readonly #overload = new CounterFamily({
    name: 'floe_overload_rejections_total',
    help: 'Number of requests that were rejected because of overload, by reason (concurrent_requests, event_loop_delay, body_memory, body_disk or arriving_bodies).',
    labels: ['reason'],
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
  readonly #unhandledErrors = new CounterFamily({
    name: 'floe_unhandled_errors_total',
    help: 'Number of errors that no code handled. Each of them is a bug in Floe, and is in the server log.',
    labels: [],
  });
  readonly #api = new HistogramFamily(
    {
      name: 'floe_api_request_duration_seconds',
      help: 'Duration of requests to /api (excluding beats) and /relay, by operation and HTTP status class.',
      labels: ['operation', 'status'],
    },
    API_BUCKETS_S,
  );
  #isApplied = true;

  constructor(version: string, commit: string) {
    this.#build.add(1, version, commit, process.versions.node);
    // So that the first rejection is an increase.
    for (const reason of OVERLOAD_REASONS) this.#overload.add(0, reason);
    this.#unhandledErrors.add(0);
  }

  recordReload(isApplied: boolean): void {
    this.#isApplied = isApplied;
    this.#reloads.add(1, isApplied ? 'success' : 'failure');
  }

  /**
   * Counts a call of the management API.
   * @param operation null if no operation has the path
   */
  recordApiCall(operation: string | null, status: number, durationMs: number): void {
    this.#api.observe(durationMs / 1000, operation ?? 'unknown', `${Math.floor(status / 100)}xx`);
  }

  recordOverloadRejection(reason: OverloadReason): void {
    this.#overload.add(1, reason);
  }

  recordUnhandledError(): void {
    this.#unhandledErrors.add(1);
  }

  render(): string {
    const load = this.readLoad();
    const gauges: readonly [GaugeFamily, number][] = [
      [this.#inFlight, load.inFlight],
      [this.#concurrencyLimit, load.concurrencyLimit],
      [this.#bodyBytes, load.bodyBytes],
      [this.#bodyDiskBytes, load.bodyDiskBytes],
      [this.#lastReload, this.#isApplied ? 1 : 0],
    ];
    for (const [gauge, value] of gauges) {
      gauge.clear();
      gauge.add(value);
    }
    const tables = [
      this.#build,
      ...gauges.map(([gauge]) => gauge),
      this.#overload,
      this.#reloads,
      this.#unhandledErrors,
      this.#api,
    ];
    return tables.map((table) => table.render()).join('');
  }
}
