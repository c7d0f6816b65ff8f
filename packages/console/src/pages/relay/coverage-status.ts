import type { DisplayStatus } from '../../ui/status.tsx';
import type { RelayCoverage } from './relay-data.ts';
import { relayText } from './text.ts';

/** The model requests and relay calls of one person with one agent. */
export type CoverageRow = RelayCoverage['data'][number];

/**
 * Returns the icon and label for the coverage of a person’s agent. Only incomplete or unknown coverage has an
 * icon. Pure.
 */
export function getCoverageDisplay({ covered_ratio, model_requests, relay_calls }: CoverageRow): {
  readonly state: DisplayStatus | null;
  readonly word: string;
} {
  if (covered_ratio === null)
    return model_requests > 0 && relay_calls === 0
      ? { state: 'unknown', word: relayText.coverageStatus.noSession }
      : { state: null, word: relayText.coverageStatus.noModels };
  if (covered_ratio === 0) return { state: 'warning', word: relayText.coverageStatus.notCovered };
  if (covered_ratio < 1) return { state: 'partial', word: relayText.coverageStatus.partlyCovered };
  return { state: null, word: relayText.coverageStatus.covered };
}

/**
 * Returns the id that identifies a coverage row in the page URL. Rows are grouped by owner, and their key is the one
 * that was used last. Only a row without an owner is identified by its key.
 */
export function buildCoverageRowId({
  owner,
  key,
  agent,
}: Pick<CoverageRow, 'owner' | 'key' | 'agent'>): string {
  return JSON.stringify([owner, owner === null ? key : null, agent]);
}

/**
 * An example policy that denies model requests from sessions that never call the relay. It starts in log-only
 * mode.
 */
export const RELAY_REQUIRED_POLICY = `policies:
  - name: relay-required
    on: request
    when: "session.id != '' && !session.relayed && session.requests > 3"
    action: deny
    mode: monitor
    message: "Install the Floe hook in this agent."`;
