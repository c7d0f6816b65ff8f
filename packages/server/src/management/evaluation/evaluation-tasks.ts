import { parseConfigDocument } from '../config/config-document.ts';
import {
  evaluatePolicyRequest,
  evaluateSamples,
  evaluateStoredSamples,
} from '../policies/evaluate-samples.ts';
import { replayDecisions } from '../relay/replay-decisions-task.ts';
import { simulateEvent } from '../relay/simulate-event-task.ts';

/**
 * Tasks that the threads of `EvaluationPool` run. Inputs and results are plain values, because they are
 * cloned between threads.
 */
export const EVALUATION_TASKS = {
  simulateEvent,
  replayDecisions,
  judgeSamples: evaluateSamples,
  judgeKeptSamples: evaluateStoredSamples,
  judgeRequest: evaluatePolicyRequest,
  readDocument: parseConfigDocument,
};
