import type { JobRunner } from '../platform/job-runner.ts';
import type { EvaluationPool } from './evaluation/evaluation-pool.ts';
import { answerHookVerb } from './relay/answer-hook.ts';
import { decideApprovalVerb, listApprovalsVerb } from './relay/approval-verbs.ts';
import { decideBatchVerb, decideEventVerb } from './relay/decide-event.ts';
import { getBundleVerb } from './relay/get-bundle.ts';
import { getDecisionVerb, listDecisionsVerb } from './relay/list-decisions.ts';
import { getRelayCoverageVerb, listRelaySessionsVerb } from './relay/relay-coverage.ts';
import type { RelayDependencies } from './relay/relay-dependencies.ts';
import { listRelayEventsVerb, reportEventsVerb } from './relay/relay-events.ts';
import { replayDecisionsVerb } from './relay/replay-decisions.ts';
import { simulateDecisionVerb } from './relay/simulate-decision.ts';
import { waitForApprovalVerb } from './relay/wait-for-approval.ts';
import type { Verb } from './verb.ts';

/** All verbs of the relay, for agents and for the console. */
export function relayVerbs(
  dependencies: RelayDependencies,
  jobs: JobRunner,
  evaluationPool: EvaluationPool,
): readonly Verb[] {
  return [
    decideEventVerb(dependencies),
    decideBatchVerb(dependencies),
    answerHookVerb(dependencies),
    reportEventsVerb(dependencies),
    listRelayEventsVerb,
    getBundleVerb(dependencies),
    waitForApprovalVerb(dependencies),
    listDecisionsVerb,
    getDecisionVerb,
    listRelaySessionsVerb,
    getRelayCoverageVerb,
    listApprovalsVerb,
    decideApprovalVerb(dependencies),
    simulateDecisionVerb(dependencies, evaluationPool),
    replayDecisionsVerb(dependencies, jobs, evaluationPool),
  ];
}
