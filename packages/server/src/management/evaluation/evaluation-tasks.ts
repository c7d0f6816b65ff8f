import { parseConfigDocument } from '../config/config-document.ts';
import {
  evaluatePolicyRequest,
  evaluateSamples,
  evaluateStoredSamples,
} from '../policies/evaluate-samples.ts';
import { replayDecisions } from '../relay/replay-decisions-task.ts';
import { simulateEvent } from '../relay/simulate-event-task.ts';

/** What the threads of `EvaluationPool` can do. Inputs and results are cloned on their way, so they are plain values. */
export const EVALUATION_TASKS = {
  simulateEvent,
  replayDecisions,
  judgeSamples: evaluateSamples,
  judgeKeptSamples: evaluateStoredSamples,
  judgeRequest: evaluatePolicyRequest,
  readDocument: parseConfigDocument,
};
