import { MergedMetrics } from '../../analytics/merged-metrics.ts';
import type { Clock } from '../../core/clock.ts';
import type { SupervisorMessage } from './process-messages.ts';

/**
 * Maximum time for which a scrape waits for a process. It is longer than a process waits for its database, and
 * shorter than the timeout of any scraper.
 */
const REPORT_TIMEOUT_MS = 2_500;

/** A process that can report its metrics. */
export interface ReportingProcess {
  readonly number: number;
  /** Returns false if the process is not running. */
  send(message: SupervisorMessage): boolean;
}

interface Collection {
  readonly missing: Set<number>;
  readonly reported: Set<number>;
  finish(): void;
}

/** Collects the metrics of all processes. A counter never decreases, even if a process exits. */
export class ProcessMetricsCollector {
  readonly #clock: Clock;
  readonly #processes: () => readonly ReportingProcess[];
  /** The last metrics of each running process. */
  readonly #latest = new Map<number, string>();
  /** The counters of all exited processes. */
  #exited = new MergedMetrics();
  readonly #collections = new Map<number, Collection>();
  #requests = 0;

  constructor(clock: Clock, processes: () => readonly ReportingProcess[]) {
    this.#clock = clock;
    this.#processes = processes;
  }

  /** Returns the merged metrics in the Prometheus text format. */
  async collect(): Promise<string> {
    this.#requests += 1;
    const request = this.#requests;
    const { promise, resolve } = Promise.withResolvers<void>();
    const collection = { missing: new Set<number>(), reported: new Set<number>(), finish: resolve };
    this.#collections.set(request, collection);
    for (const process of this.#processes())
      if (process.send({ type: 'report_metrics', request })) collection.missing.add(process.number);
    if (collection.missing.size === 0) resolve();
    const timer = this.#clock.after(REPORT_TIMEOUT_MS, resolve);
    await promise;
    timer.cancel();
    this.#collections.delete(request);
    const merged = new MergedMetrics();
    merged.addCounters(this.#exited.render());
    // The gauges of a process that does not respond are unknown.
    for (const [number, text] of this.#latest)
      if (collection.reported.has(number)) merged.add(String(number), text);
      else merged.addCounters(text);
    return merged.render();
  }

  /** Stores the metrics that a process reported, for a request or, with null, before it exits. */
  receive(processNumber: number, request: number | null, text: string): void {
    this.#latest.set(processNumber, text);
    const collection = request === null ? undefined : this.#collections.get(request);
    if (!collection?.missing.delete(processNumber)) return;
    collection.reported.add(processNumber);
    if (collection.missing.size === 0) collection.finish();
  }

  /** Keeps the counters of a process that has exited. */
  retain(processNumber: number): void {
    const text = this.#latest.get(processNumber);
    this.#latest.delete(processNumber);
    if (text !== undefined) this.#exited.addCounters(text);
    for (const { missing, finish } of this.#collections.values())
      if (missing.delete(processNumber) && missing.size === 0) finish();
  }
}
