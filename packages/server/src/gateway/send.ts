import type { Course } from './catalog.ts';
import type { Exchange } from './exchange-record.ts';
import { type Planner, Trial } from './trial.ts';

/**
 * Tries the targets in order until one has answered. Before content reaches the client a failure may be tried
 * again on the same target or handed to the next; after content only a route that says `rescue: replay` goes on.
 */
export async function send(x: Exchange, course: Course, plan: Planner): Promise<void> {
  const trial = new Trial(x, course, plan);
  const { targets } = course;
  for (let at = 0; at < targets.length; at += 1) {
    const target = targets[at];
    if (target && (await trial.offer(target, at === targets.length - 1))) return;
  }
  if (await trial.lastResort()) return;
  throw trial.failure();
}
