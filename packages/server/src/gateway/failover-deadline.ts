import type { Target } from './catalog.ts';
import type { FailoverDeadline } from './deadlines.ts';
import type { Exchange } from './exchange-record.ts';
import { getTargetName } from './routing-strategy.ts';

/** The targets that are left behind one that is being asked. */
export interface RemainingTargets {
  readonly targets: readonly Target[];
  couldAnswer(target: Target): boolean;
}

/**
 * A stream does not wait for its configured deadlines while another target could answer it. Null where none follows.
 * The decision trace gets the deadline, what it rests on and who is left.
 */
export function createFailoverDeadline(
  x: Exchange,
  target: Target,
  later: RemainingTargets,
): FailoverDeadline | null {
  if (later.targets.length === 0) return null;
  const { firstTokenDeadlines } = x.gateway;
  const orgId = x.caller.key.orgId;
  const name = getTargetName(target);
  const ms = Math.round(firstTokenDeadlines.deadlineMs(orgId, name));
  const isOver = () => {
    // Another credential of a silent model is silent too.
    const next = later.targets.find((other) => getTargetName(other) !== name && later.couldAnswer(other));
    if (!next) return false;
    const because = `${name}: no first token within ${ms} ms (${firstTokenDeadlines.describeBasis(orgId, name)}); ${getTargetName(next)} is left`;
    firstTokenDeadlines.recordMiss(orgId, name);
    x.decisions.push({ step: 'send', outcome: 'first_token_deadline', because });
    return true;
  };
  return { ms, shouldFailOver: isOver };
}
