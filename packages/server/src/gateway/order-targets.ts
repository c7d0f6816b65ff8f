import { type Arranged, arrange } from './arrange.ts';
import type { Course, Target } from './catalog.ts';
import { conversationOf, type ScannedBody } from './conversation.ts';
import type { Exchange } from './exchange-record.ts';

/** What the order of targets depends on in a request. */
export interface Ordering {
  readonly orgId: string;
  readonly stream: boolean;
  /** Null for a body that is not JSON. */
  readonly body: ScannedBody | null;
}

/** Puts the targets of any exchange in the order to try them; every surface orders by the same rules. */
export function orderTargets(x: Exchange, course: Course, { orgId, stream, body }: Ordering): Arranged {
  if (course.targets.length < 2) return { course, because: null };
  const { conversations, latencies, random } = x.gateway;
  const named = conversationOf(x.client.headers, body);
  const conversation = named === null ? null : `${orgId}\n${named}`;
  return arrange(course, { orgId, conversation, stream, conversations, latencies, random });
}

/** Makes this the course of the exchange and records which targets it has, in which order and why. */
export function takeCourse(x: Exchange, { course, because }: Arranged): Course {
  const names = course.targets.map(({ provider, model }) =>
    model === '' ? provider.id : `${provider.id}/${model}`,
  );
  const outcome = names.length < 2 ? (names[0] ?? '') : [...new Set(names)].join(', ');
  x.course = course;
  x.decisions.push({ step: 'route', outcome, because: course.because });
  if (because !== null) x.decisions.push({ step: 'route', outcome: 'ordered', because });
  for (const skipped of course.skipped)
    x.decisions.push({ step: 'route', outcome: 'skipped', because: skipped });
  return course;
}

/** Records which target answers: the one of each attempt, or the one whose answer the cache kept. */
export function setTarget(x: Exchange, target: Target): void {
  x.target = target;
}
