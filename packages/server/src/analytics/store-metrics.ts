import { HistogramFamily } from './metric-families.ts';

const STORE_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The latency of the database and of the shared store, as this process observes it. */
export class StoreMetrics {
  readonly #database = new HistogramFamily(
    {
      name: 'floe_database_operation_duration_seconds',
      help: 'Duration of database operations, including the time in the queue, by engine and kind (read, transaction, ingest or beats).',
      labels: ['engine', 'kind'],
    },
    STORE_BUCKETS_S,
  );
  readonly #sharedStore = new HistogramFamily(
    {
      name: 'floe_shared_store_operation_duration_seconds',
      help: 'Duration of calls to the shared store (Redis, Valkey or the supervisor), by operation and result (success or error).',
      labels: ['operation', 'result'],
    },
    STORE_BUCKETS_S,
  );
  /** Whether a shared store is configured. Without one, its metric is not reported. */
  #hasSharedStore = false;

  /** Counts an operation. @param engine `sqlite` or `postgres` @param kind from a fixed list */
  observeDatabase(engine: string, kind: string, durationMs: number): void {
    this.#database.observe(durationMs / 1000, engine, kind);
  }

  /** Counts a call to the shared store. @param operation from a fixed list */
  observeSharedStore(operation: string, isSuccess: boolean, durationMs: number): void {
    this.#hasSharedStore = true;
    this.#sharedStore.observe(durationMs / 1000, operation, isSuccess ? 'success' : 'error');
  }

  render(): string {
    return this.#database.render() + (this.#hasSharedStore ? this.#sharedStore.render() : '');
  }
}
