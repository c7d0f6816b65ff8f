import { relayEvent } from '@floe/contract/api/relay';
import type { RelayConfig } from '@floe/contract/config';
import { decide, type Verdict } from '@floe/relay/decide';
import { compileRelay, type Relay } from '@floe/relay/relay';
import { loadGrammar } from '@floe/relay/shell/tree';
import type { DecisionRow } from '../../store/relay/decisions.ts';
import { compiledFor } from './rule-problem.ts';

/** Decisions to be made again by other rules. */
export interface ReplayedDecisions {
  /** Names the rules: those of one replay are compiled once. */
  readonly id: string;
  readonly config: RelayConfig;
  readonly rows: readonly Pick<DecisionRow, 'event_json' | 'key_name' | 'team' | 'owner' | 'created_at'>[];
}

let last: { readonly id: string; readonly relay: Relay } | null = null;

/**
 * What the rules would say about each; null for a decision whose event was not kept.
 *
 * @throws Fault `invalid_request` naming the field of a rule that cannot be used
 */
export async function replayedDecisions({ id, config, rows }: ReplayedDecisions) {
  if (last?.id !== id) last = { id, relay: compiledFor(() => compileRelay(config)) };
  const { relay } = last;
  const grammar = await loadGrammar();
  return rows.map((row): { would: Verdict['would']; rule: string | null } | null => {
    const event = row.event_json === null ? null : relayEvent.safeParse(JSON.parse(row.event_json));
    if (!event?.success) return null;
    const identity = { key: row.key_name, team: row.team, owner: row.owner };
    const { would, hit } = decide(event.data, { relay, grammar, identity, nowMs: row.created_at });
    return { would, rule: hit?.rule ?? null };
  });
}
