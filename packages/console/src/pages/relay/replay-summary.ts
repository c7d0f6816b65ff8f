import type { relayReplayResult } from '@floe/contract/api/relay-management';
import type * as z from 'zod';

export type ReplayCounts = Omit<z.output<typeof relayReplayResult>, 'changes' | 'job'>;

/** `18 would be newly denied, 2 no longer stopped.` Differences come first. Pure. */
export function summarizeReplay(replayed: ReplayCounts): string {
  const { evaluated, newly_denied, newly_asked, newly_allowed, unchanged } = replayed;
  if (evaluated === 0) return 'Nothing to replay: no agent asked in this time.';
  const parts = [
    newly_denied > 0 && `${newly_denied} would be newly denied`,
    newly_asked > 0 && `${newly_asked} newly asked about`,
    newly_allowed > 0 && `${newly_allowed} no longer stopped`,
  ].filter((part) => part !== false);
  if (parts.length > 0) return `${parts.join(', ')}.`;
  return unchanged === evaluated
    ? 'Nothing would have been answered otherwise.'
    : 'Only what is allowed outright would differ.';
}
