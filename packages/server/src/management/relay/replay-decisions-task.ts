import { relayEvent } from '@floe/contract/api/relay';
import type { CompiledRelayConfig } from '@floe/relay/compile-relay-config';
import { evaluateRelayEvent, type RelayEvaluation } from '@floe/relay/evaluate-event';
import { loadShellParser } from '@floe/relay/shell/shell-parser';
import type { ReplayableDecisionRow } from '../../store/relay/relay-decisions.ts';
import { compileSimulatedRules, type SimulatedRules } from './compile-simulated-rules.ts';

/** Stored decisions, and the rules to evaluate against their events. */
export interface ReplayDecisionsInput extends SimulatedRules {
  /** Identifies the rules, so that they are compiled once per replay. */
  readonly id: string;
  readonly rows: readonly (Pick<ReplayableDecisionRow, 'key_name' | 'team' | 'owner' | 'created_at'> & {
    readonly event_json: string | null;
  })[];
}

let lastCompiled: { readonly id: string; readonly relay: CompiledRelayConfig } | null = null;

/**
 * Returns the decision that the rules make for each row. Null for a row whose event was not stored.
 *
 * @throws Fault `invalid_request` that names the invalid field of a rule in a draft
 */
export async function replayRelayDecisions({ id, rows, ...rules }: ReplayDecisionsInput) {
  if (lastCompiled?.id !== id) lastCompiled = { id, relay: compileSimulatedRules(rules) };
  const { relay } = lastCompiled;
  const grammar = await loadShellParser();
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
