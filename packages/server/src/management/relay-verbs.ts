import type { Jobs } from './jobs/jobs.ts';
import { waitForApproval } from './relay/approval.ts';
import { decideApproval, listApprovals } from './relay/approvals.ts';
import { getBundle } from './relay/bundle.ts';
import { getCoverage, listSessions } from './relay/coverage.ts';
import { decideBatch, decideEvent } from './relay/decide.ts';
import { getDecision, listDecisions } from './relay/decisions.ts';
import { listEvents, reportEvents } from './relay/events.ts';
import { answerHook } from './relay/hook.ts';
import type { RelayHost } from './relay/relay-host.ts';
import { replayRelay } from './relay/replay.ts';
import { simulateRelay } from './relay/simulate.ts';
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
