import { readDocument } from '../config/config-document.ts';
import { judgedKeptSamples, judgedSamples, requestUnderPolicies } from '../policies/judged-samples.ts';
import { replayedDecisions } from '../relay/replayed.ts';
import { simulatedEvent } from '../relay/simulated.ts';

/** What the threads of `Trials` can do. Inputs and results are cloned on their way, so they are plain values. */
export const TRIAL_TASKS = {
  simulateEvent: simulatedEvent,
  replayDecisions: replayedDecisions,
  judgeSamples: judgedSamples,
  judgeKeptSamples: judgedKeptSamples,
  judgeRequest: requestUnderPolicies,
  readDocument,
};
