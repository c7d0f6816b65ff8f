import { parseConfigDocument } from '../config/config-document.ts';
import { formatOrgConfig } from '../config/format-org-config.ts';
import {
  evaluatePoliciesOnStoredBodies,
  evaluatePolicySamples,
  simulateRequestPolicies,
} from '../policies/evaluate-policy-samples.ts';
import { replayRelayDecisions } from '../relay/replay-decisions-task.ts';
import { simulateEvent } from '../relay/simulate-event-task.ts';

/**
 * The tasks that `EvaluationPool` threads run. Inputs and results are plain values, because they
 * are copied between threads.
 */
export const EVALUATION_TASKS = {
  simulateEvent,
  replayDecisions: replayRelayDecisions,
  judgeSamples: evaluatePolicySamples,
  judgeKeptSamples: evaluatePoliciesOnStoredBodies,
  judgeRequest: simulateRequestPolicies,
  readDocument: parseConfigDocument,
  formatOrg: formatOrgConfig,
};
