import type { Metrics } from '../../analytics/metrics.ts';
import { announceStart, type StartReport } from '../announce-start.ts';
import type { ServerOutput } from '../server-output.ts';
import type { ProcessPosition } from './process-position.ts';

/** The values and functions that differ between a standalone process and a process with a supervisor. */
export interface ProcessContext extends ProcessPosition {
  /** Prints or reports that the server has started. */
  announceStart(report: StartReport, output: ServerOutput): void;
  /** Returns the metrics for `/metrics`, given the metrics of this process. */
  createEndpointMetrics(metrics: Metrics): Pick<Metrics, 'render' | 'contentType'>;
  /** Sets the function that shuts this process down when its supervisor replaces it. */
  onRestart(restart: () => void): void;
  /**
   * Reports the metrics of this process for the last time. Called when all requests are complete, before the
   * components are closed.
   */
  reportFinalMetrics(): Promise<void>;
}

/** The context of a process without a supervisor. */
export const STANDALONE_PROCESS_CONTEXT: ProcessContext = {
  processCount: 1,
  processNumber: 1,
  coordinator: undefined,
  announceStart,
  createEndpointMetrics: (metrics) => metrics,
  onRestart: () => undefined,
  reportFinalMetrics: async () => undefined,
};
