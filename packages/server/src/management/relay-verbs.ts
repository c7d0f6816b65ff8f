import type { BackgroundJobRunner } from '../platform/background-job-runner.ts';
import type { EvaluationPool } from './evaluation/evaluation-pool.ts';
import { defineDecideApprovalVerb, listApprovalsVerb } from './relay/approval-verbs.ts';
import { defineDecideBatchVerb, defineDecideEventVerb } from './relay/decide-event.ts';
import { defineDryRunDecisionsVerb } from './relay/dry-run-decisions.ts';
import { defineGetBundleVerb } from './relay/get-bundle.ts';
import { defineHandleHookVerb } from './relay/handle-hook.ts';
import { getDecisionVerb, listDecisionsVerb } from './relay/list-decisions.ts';
import { getRelayCoverageVerb, listRelaySessionsVerb } from './relay/relay-coverage.ts';
import type { RelayDependencies } from './relay/relay-dependencies.ts';
import { defineReportEventsVerb, listRelayEventsVerb } from './relay/relay-events.ts';
import { defineSimulateDecisionVerb } from './relay/simulate-decision.ts';
import { defineWaitForApprovalVerb } from './relay/wait-for-approval.ts';
import type { Verb } from './verb.ts';

/** Returns all relay operations, for agents and for the console. */
export function defineRelayVerbs(
  dependencies: RelayDependencies,
  jobs: BackgroundJobRunner,
  evaluationPool: EvaluationPool,
): readonly Verb[] {
  return [
    defineDecideEventVerb(dependencies),
    defineDecideBatchVerb(dependencies),
    defineHandleHookVerb(dependencies),
    defineReportEventsVerb(dependencies),
    listRelayEventsVerb,
    defineGetBundleVerb(dependencies),
    defineWaitForApprovalVerb(dependencies),
    listDecisionsVerb,
    getDecisionVerb,
    listRelaySessionsVerb,
    getRelayCoverageVerb,
    listApprovalsVerb,
    defineDecideApprovalVerb(dependencies),
    defineSimulateDecisionVerb(dependencies, evaluationPool),
    defineDryRunDecisionsVerb(dependencies, jobs, evaluationPool),
  ];
}
