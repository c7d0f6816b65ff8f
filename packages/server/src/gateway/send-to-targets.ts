import { Fault } from '@floe/contract/faults';
import { UnsentRequestFault } from './classify-retry.ts';
import type { Exchange } from './exchange-record.ts';
import { type AttemptPlanner, Failover } from './failover.ts';
import type { ResolvedRoute } from './org-catalog.ts';

/**
 * Tries the targets in order until one of them has responded. After a failure before content, the same target
 * is retried or the next one is tried. After content, another target is tried only if the route has `rescue:
 * replay`.
 * @throws the error for the client, if no target responded
 */
export async function sendToTargets(x: Exchange, route: ResolvedRoute, plan: AttemptPlanner): Promise<void> {
  const failover = new Failover(x, route, markUnsentRequests(plan));
  const { targets } = route;
  for (let at = 0; at < targets.length; at += 1) {
    const target = targets[at];
    if (target && (await failover.tryTarget(target, at === targets.length - 1))) return;
  }
  if (await failover.tryUnhealthyTargets()) return;
  throw failover.finalError();
}

/** Marks the faults of a planner, because nothing was sent to the target. */
function markUnsentRequests(plan: AttemptPlanner): AttemptPlanner {
  return (target) => {
    try {
      return plan(target);
    } catch (error) {
      throw error instanceof Fault ? new UnsentRequestFault(error) : error;
    }
  };
}
