import type { Jobs } from '../platform/jobs.ts';
import { answerHook } from './relay/answer-hook.ts';
import { decideApproval, listApprovals } from './relay/approval-verbs.ts';
import { decideBatch, decideEvent } from './relay/decide-event.ts';
import { getBundle } from './relay/get-bundle.ts';
import { getDecision, listDecisions } from './relay/list-decisions.ts';
import { getCoverage, listSessions } from './relay/relay-coverage.ts';
import { listEvents, reportEvents } from './relay/relay-events.ts';
import type { RelayHost } from './relay/relay-host.ts';
import { replayRelay } from './relay/replay-decisions.ts';
import { simulateRelay } from './relay/simulate-decision.ts';
import { waitForApproval } from './relay/wait-for-approval.ts';
import type { Trials } from './trials/trials.ts';
import type { Verb } from './verb.ts';

/** Everything the relay does for agents, and the console about it. */
export function relayVerbs(host: RelayHost, jobs: Jobs, trials: Trials): readonly Verb[] {
  return [
    decideEvent(host),
    decideBatch(host),
    answerHook(host),
    reportEvents(host),
    listEvents,
    getBundle(host),
    waitForApproval(host),
    listDecisions,
    getDecision,
    listSessions,
    getCoverage,
    listApprovals,
    decideApproval(host),
    simulateRelay(host, trials),
    replayRelay(host, jobs, trials),
  ];
}
