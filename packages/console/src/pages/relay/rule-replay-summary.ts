import type { relayReplayResult } from '@floe/contract/api/relay-management';
import type * as z from 'zod';
import { ruleText } from './rule-text.ts';

/**
 * The counts of a replay: evaluated, skipped and unchanged decisions, and changed decisions by kind of
 * change.
 */
export type RuleReplayCounts = Omit<z.output<typeof relayReplayResult>, 'changes' | 'job'>;

/** Summarizes the result, as in `Changes: 18 now denied, 2 no longer blocked.` Pure. */
export function summarizeRuleReplay(counts: RuleReplayCounts): string {
  const { evaluated, newly_denied, newly_asked, newly_allowed, unchanged } = counts;
  if (evaluated === 0) return ruleText.replay.empty;
  const parts = [
    newly_denied > 0 && ruleText.replay.newlyDenied(newly_denied),
    newly_asked > 0 && ruleText.replay.newlyAsked(newly_asked),
    newly_allowed > 0 && ruleText.replay.noLongerStopped(newly_allowed),
  ].filter((part) => part !== false);
  if (parts.length > 0) return ruleText.replay.changes(parts);
  return unchanged === evaluated ? ruleText.replay.noChange : ruleText.replay.noBlockingChange;
}
