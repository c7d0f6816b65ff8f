import type { Metrics } from '../../analytics/metrics.ts';
import { announceStart, type StartReport } from '../announce-start.ts';
import type { ServerOutput } from '../server-output.ts';

/** The functions that differ between a standalone process and a process with a supervisor. */
export interface ProcessContext {
  /** Number of processes of this installation on this machine, including this one. */
  readonly processCount: number;
  /** Prints what users need after the start. */
  announceStart(report: StartReport, output: ServerOutput): void;
  /** Returns the metrics that `/metrics` returns. */
  shareMetrics(metrics: Metrics): Pick<Metrics, 'render' | 'contentType'>;
  /** Sets the function that shuts this process down when its supervisor replaces it. */
  onRestart(restart: () => void): void;
  /** Called before the components are closed, when all requests have ended. */
  reportFinalMetrics(): Promise<void>;
}

/** The context of a process without a supervisor. */
export const STANDALONE_PROCESS_CONTEXT: ProcessContext = {
  processCount: 1,
  announceStart,
  shareMetrics: (metrics) => metrics,
  onRestart: () => undefined,
  reportFinalMetrics: async () => undefined,
};
