import hostile from '../golden/heartbeat/hostile.json' with { type: 'json' };
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts';

/** A case of `golden/heartbeat/hostile.json`. The README next to it describes the members. */
export type HostileCase = (typeof hostile)[number];

/** The responses of a misbehaving server, and the results that SDKs must return for them. */
export const HOSTILE_CASES: readonly HostileCase[] = hostile;

interface HostileStep {
  readonly write?: string | undefined;
  readonly times?: number | undefined;
  readonly silence?: boolean | undefined;
  readonly fin?: boolean | undefined;
  readonly reset?: boolean | undefined;
}

/**
 * Starts a server that misbehaves as a case describes, on its own port. Must not be called for a case
 * with `host`, which needs no server.
 */
export function startHostileServer(hostile: HostileCase): Promise<FakeUpstream> {
  const plan = (steps: readonly HostileStep[]) => ({
    name: hostile.name,
    description: hostile.does,
    requestCount: Number.POSITIVE_INFINITY,
    planSteps: ({ origin }: { origin: string }) => steps.flatMap((step) => toSocketSteps(step, origin)),
  });
  const first = plan(hostile.steps ?? []);
  const faults =
    hostile.steps_after === undefined ? [first] : [{ ...first, requestCount: 1 }, plan(hostile.steps_after)];
  return startFakeUpstream({ script: [], faults });
}

type HostileSocketStep = { do: 'write'; bytes: Buffer } | { do: 'silence' } | { do: 'fin' } | { do: 'reset' };

function toSocketSteps(step: HostileStep, origin: string): HostileSocketStep[] {
  if (step.silence) return [{ do: 'silence' }];
  if (step.fin) return [{ do: 'fin' }];
  if (step.reset) return [{ do: 'reset' }];
  const bytes = Buffer.from((step.write ?? '').replaceAll('<origin>', origin));
  return Array.from({ length: step.times ?? 1 }, () => ({ do: 'write', bytes }));
}
