import type { DisplayStatus } from '../../ui/status.tsx';
import type { RelayCoverage } from './relay-data.ts';

export type CoverageRow = RelayCoverage['data'][number];

/** How far the relay sees what somebody's agent does. Colour only where it does not. Pure. */
export function coverageStatus({ covered_ratio, model_requests, relay_calls }: CoverageRow): {
  readonly state: DisplayStatus | null;
  readonly word: string;
} {
  if (covered_ratio === null)
    return model_requests > 0 && relay_calls === 0
      ? { state: 'unknown', word: 'Names no session' }
      : { state: null, word: 'Uses no models here' };
  if (covered_ratio === 0) return { state: 'warning', word: 'Never asks the relay' };
  if (covered_ratio < 1) return { state: 'partial', word: 'Sometimes asks' };
  return { state: null, word: 'Asks' };
}

export function coverageId({ owner, key, agent }: CoverageRow): string {
  return JSON.stringify([owner, key, agent]);
}

/** A policy that refuses models to sessions that never ask; in monitor mode, so that it can be watched first. */
export const REQUIRE_POLICY = `policies:
  - name: relay-required
    on: request
    when: "session.id != '' && !session.relayed && session.requests > 3"
    action: deny
    mode: monitor
    message: "Install the relay's hook."`;
