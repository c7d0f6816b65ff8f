import { Fault } from '@floe/contract/faults';
import { attempt } from './attempt.ts';
import type { Course, Target } from './catalog.ts';
import { pauseUnlessGone } from './client.ts';
import type { Exchange } from './exchange-record.ts';
import type { Plan } from './plan.ts';
import { isIneligible, remedyFor, tellingFailure, waitBeforeRetry } from './retry.ts';

/** Makes the plan for one attempt, or throws the `Fault` that makes the target ineligible. */
export type Planner = (target: Target, moved: boolean) => Plan;

/**
 * Tries the targets in order until one has answered. Before content reaches the client a failure may be tried
 * again on the same target or handed to the next; after content nothing is.
 */
export async function send(x: Exchange, course: Course, plan: Planner): Promise<void> {
  const failures: unknown[] = [];
  const [first] = course.targets;
  for (const [index, target] of course.targets.entries()) {
    const moved = first !== undefined && target.credential !== first.credential;
    const isLast = index === course.targets.length - 1;
    const failure = await tryTarget(x, target, course.retries, isLast, () => plan(target, moved));
    if (failure === null) return;
    failures.push(failure);
    if (remedyFor(failure) === 'none' && !isIneligible(failure)) break;
    if (!isLast) x.decisions.push({ step: 'send', outcome: 'moved_on', because: reasonOf(target, failure) });
  }
  throw tellingFailure(failures) ?? new Fault('no_healthy_target', 'No target is left for this request.');
}

/** Null when the client has its answer, else why this target could not give it. */
async function tryTarget(
  x: Exchange,
  target: Target,
  retries: number,
  isLast: boolean,
  plan: () => Plan,
): Promise<unknown> {
  const { clock, random } = x.gateway;
  const totalAt =
    x.startedAt + Math.min(target.timeouts.totalMs, x.controls?.timeoutMs ?? Number.POSITIVE_INFINITY);
  for (let tries = 0; ; tries += 1) {
    try {
      await attempt(x, target, plan(), totalAt);
      return null;
    } catch (error) {
      if (x.told) throw error;
      // A rate limit is waited out only when nobody else could answer meanwhile.
      const wait = isLast || !isRateLimit(error) ? waitBeforeRetry(error, tries, random) : null;
      const again = tries < retries && remedyFor(error) === 'same_target' && wait !== null;
      if (!again || clock.monotonic() + wait >= totalAt) return error;
      x.decisions.push({
        step: 'send',
        outcome: 'retry',
        because: `${reasonOf(target, error)}; waited ${Math.round(wait)} ms`,
      });
      await pauseUnlessGone(x.client, clock, wait);
    }
  }
}

function isRateLimit(error: unknown): boolean {
  return error instanceof Fault && error.code === 'upstream_rate_limited';
}

function reasonOf(target: Target, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `${target.provider.id}/${target.model}: ${why}`;
}
