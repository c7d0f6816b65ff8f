import { relayEvent } from '@floe/contract/api/relay';
import type { RelayConfig } from '@floe/contract/config';
import { type CompiledRelay, compileRelay } from '@floe/relay/compile-relay';
import { evaluateRelayEvent, type RelayEvaluation } from '@floe/relay/evaluate-event';
import { loadShellGrammar } from '@floe/relay/shell/grammar';
import type { RelayDecisionRow } from '../../store/relay/relay-decisions.ts';
import { withClientInputFaults } from './client-input-faults.ts';

/** Stored decisions, and the rules to evaluate on their events. */
export interface DryRunDecisionsInput {
  /** Identifies the rules, so that they are compiled once per dry run. */
  readonly id: string;
  readonly config: RelayConfig;
  readonly rows: readonly Pick<
    RelayDecisionRow,
    'event_json' | 'key_name' | 'team' | 'owner' | 'created_at'
  >[];
}

let lastCompiled: { readonly id: string; readonly relay: CompiledRelay } | null = null;

/**
 * Returns the decision that the rules make for each row. Null for a row whose event was not stored.
 *
 * @throws Fault `invalid_request` that names the invalid field of a rule
 */
export async function dryRunDecisions({ id, config, rows }: DryRunDecisionsInput) {
  if (lastCompiled?.id !== id)
    lastCompiled = { id, relay: withClientInputFaults(() => compileRelay(config)) };
  const { relay } = lastCompiled;
  const grammar = await loadShellGrammar();
  return rows.map((row): { would: RelayEvaluation['would']; rule: string | null } | null => {
    const event = row.event_json === null ? null : relayEvent.safeParse(JSON.parse(row.event_json));
    if (!event?.success) return null;
    const identity = { key: row.key_name, team: row.team, owner: row.owner };
    const { would, hit } = evaluateRelayEvent(event.data, {
      relay,
      grammar,
      identity,
      nowMs: row.created_at,
    });
    return { would, rule: hit?.rule ?? null };
  });
}
