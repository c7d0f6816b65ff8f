import hostile from '../golden/heartbeat/hostile.json' with { type: 'json' };
import { startUpstream, type Upstream } from './upstream.ts';

/** A case of `golden/heartbeat/hostile.json`; its README says what each member means. */
export type HostileCase = (typeof hostile)[number];

export const HOSTILE_CASES: readonly HostileCase[] = hostile;

interface Step {
  readonly write?: string | undefined;
  readonly times?: number | undefined;
  readonly silence?: boolean | undefined;
  readonly fin?: boolean | undefined;
  readonly reset?: boolean | undefined;
}

/** Plays a case on a port of its own. A case with `host` has no server. */
export function hostileServer(hostile: HostileCase): Promise<Upstream> {
  const plan = (steps: readonly Step[]) => ({
    name: hostile.name,
    does: hostile.does,
    times: Number.POSITIVE_INFINITY,
    plan: ({ origin }: { origin: string }) => steps.flatMap((step) => played(step, origin)),
  });
  const first = plan(hostile.steps ?? []);
  const faults =
    hostile.steps_after === undefined ? [first] : [{ ...first, times: 1 }, plan(hostile.steps_after)];
  return startUpstream({ script: [], faults });
}

type Played = { do: 'write'; bytes: Buffer } | { do: 'silence' } | { do: 'fin' } | { do: 'reset' };

function played(step: Step, origin: string): Played[] {
  if (step.silence) return [{ do: 'silence' }];
  if (step.fin) return [{ do: 'fin' }];
  if (step.reset) return [{ do: 'reset' }];
  const bytes = Buffer.from((step.write ?? '').replaceAll('<origin>', origin));
  return Array.from({ length: step.times ?? 1 }, () => ({ do: 'write', bytes }));
}
