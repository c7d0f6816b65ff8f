import { waitForApproval } from './relay/approval.ts';
import { getBundle } from './relay/bundle.ts';
import { decideBatch, decideEvent } from './relay/decide.ts';
import { listEvents, reportEvents } from './relay/events.ts';
import { answerHook } from './relay/hook.ts';
import type { RelayHost } from './relay/relay-host.ts';
import type { Verb } from './verb.ts';

/** Everything the relay does for agents, and the console about it. */
export function relayVerbs(host: RelayHost): readonly Verb[] {
  return [
    decideEvent(host),
    decideBatch(host),
    answerHook(host),
    reportEvents(host),
    listEvents,
    getBundle(host),
    waitForApproval(host),
  ];
}
