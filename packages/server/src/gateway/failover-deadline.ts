import type { FailoverDeadline } from './attempt-deadlines.ts';
import type { Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';
import { getTargetName } from './routing-strategy.ts';

/** The targets that can be tried after the current one. */
export interface RemainingTargets {
  readonly targets: readonly Target[];
  couldAnswer(target: Target): boolean;
}

/**
 * Creates the deadline for a stream's first content. Returns null if there is no other target. If the
 * deadline passes, adds it, its basis and the next target to the decisions of the exchange.
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
    // The client has received the announcement of a background response.
    if (x.progress.stage.name === 'content') return false;
    // Another credential of a silent model would also be silent.
    const next = later.targets.find((other) => getTargetName(other) !== name && later.couldAnswer(other));
    if (!next) return false;
    const reason = `${name}: no first token within ${ms} ms (${firstTokenDeadlines.describeBasis(orgId, name)}); ${getTargetName(next)} is available`;
    firstTokenDeadlines.recordMiss(orgId, name);
    x.decisions.push({ step: 'send', outcome: 'first_token_deadline', reason });
    return true;
  };
  return { ms, shouldFailOver: isOver };
}
