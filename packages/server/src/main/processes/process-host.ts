import type { Metrics } from '../../analytics/metrics.ts';
import { announceStart, type StartReport } from '../announce-start.ts';
import type { ServerOutput } from '../server-output.ts';

/** What differs between a process of its own and one of several processes with a supervisor. */
export interface ProcessHost {
  /** Number of processes of this installation on this machine, including this one. */
  readonly processCount: number;
  /** Prints what users need after the start. */
  announceStart(report: StartReport, output: ServerOutput): void;
  /** Returns the metrics that `/metrics` returns. */
  shareMetrics(metrics: Metrics): Pick<Metrics, 'render' | 'contentType'>;
  /** Sets what replaces this process by a new one. */
  onRestart(restart: () => void): void;
  /** Called before the components are closed, when all requests have ended. */
  reportFinalMetrics(): Promise<void>;
}

/** The host of a process without a supervisor. */
export const STANDALONE_HOST: ProcessHost = {
  processCount: 1,
  announceStart,
  shareMetrics: (metrics) => metrics,
  onRestart: () => undefined,
  reportFinalMetrics: async () => undefined,
};
