import type { Metrics } from '../../analytics/metrics.ts';
import { announceStart, type StartReport } from '../announce-start.ts';
import type { ServerOutput } from '../server-output.ts';

/** The values and functions that differ between a standalone process and a process with a supervisor. */
export interface ProcessContext {
  /** Number of processes of this installation on this machine, including this one. */
  readonly processCount: number;
  /** Prints or reports that the server has started. */
  announceStart(report: StartReport, output: ServerOutput): void;
  /** Creates the metrics that `/metrics` returns from the metrics of this process. */
  createEndpointMetrics(metrics: Metrics): Pick<Metrics, 'render' | 'contentType'>;
  /** Sets the function that shuts this process down when its supervisor replaces it. */
  onRestart(restart: () => void): void;
  /** Called before the components are closed, when all requests are complete. */
  reportFinalMetrics(): Promise<void>;
}

/** The context of a process without a supervisor. */
export const STANDALONE_PROCESS_CONTEXT: ProcessContext = {
  processCount: 1,
  announceStart,
  createEndpointMetrics: (metrics) => metrics,
  onRestart: () => undefined,
  reportFinalMetrics: async () => undefined,
};
