import type { BackgroundJobRunner } from '../platform/background-job-runner.ts';
import type { EvaluationPool } from './evaluation/evaluation-pool.ts';
import type { Operation } from './operation.ts';
import { defineDecideApprovalOperation, listApprovalsOperation } from './relay/approval-operations.ts';
import { defineDecideEventBatchOperation, defineDecideEventOperation } from './relay/decide-event.ts';
import { defineGetBundleOperation } from './relay/get-bundle.ts';
import { defineHandleHookOperation } from './relay/handle-hook.ts';
import { getDecisionOperation, listDecisionsOperation } from './relay/list-decisions.ts';
import { getRelayCoverageOperation, listRelaySessionsOperation } from './relay/relay-coverage.ts';
import type { RelayDependencies } from './relay/relay-dependencies.ts';
import { defineRecordRelayReportsOperation, listRelayReportsOperation } from './relay/relay-reports.ts';
import { defineReplayDecisionsOperation } from './relay/replay-decisions.ts';
import { defineSimulateDecisionOperation } from './relay/simulate-decision.ts';
import { defineWaitForApprovalOperation } from './relay/wait-for-approval.ts';

/** Returns all relay operations, for agents and for the console. */
export function defineRelayOperations(
  dependencies: RelayDependencies,
  jobs: BackgroundJobRunner,
  evaluationPool: EvaluationPool,
): readonly Operation[] {
  return [
    defineDecideEventOperation(dependencies),
    defineDecideEventBatchOperation(dependencies),
    defineHandleHookOperation(dependencies),
    defineRecordRelayReportsOperation(dependencies),
    listRelayReportsOperation,
    defineGetBundleOperation(dependencies),
    defineWaitForApprovalOperation(dependencies),
    listDecisionsOperation,
    getDecisionOperation,
    listRelaySessionsOperation,
    getRelayCoverageOperation,
    listApprovalsOperation,
    defineDecideApprovalOperation(dependencies),
    defineSimulateDecisionOperation(dependencies, evaluationPool),
    defineReplayDecisionsOperation(dependencies, jobs, evaluationPool),
  ];
}
