import { relayEvent } from '@floe/contract/api/relay';
import type { RelayConfig } from '@floe/contract/config';
import { type CompiledRelay, compileRelay } from '@floe/relay/compile-relay';
import { evaluateRelayEvent, type RelayEvaluation } from '@floe/relay/evaluate-event';
import { loadShellGrammar } from '@floe/relay/shell/grammar';
import type { RelayDecisionRow } from '../../store/relay/relay-decisions.ts';
import { compileClientInput } from './compile-submitted.ts';

/** Decisions to be made again by other rules. */
export interface ReplayDecisionsInput {
  /** Names the rules: those of one replay are compiled once. */
  readonly id: string;
  readonly config: RelayConfig;
  readonly rows: readonly Pick<
    RelayDecisionRow,
    'event_json' | 'key_name' | 'team' | 'owner' | 'created_at'
  >[];
}

let lastCompiled: { readonly id: string; readonly relay: CompiledRelay } | null = null;

/**
 * What the rules would say about each; null for a decision whose event was not kept.
 *
 * @throws Fault `invalid_request` naming the field of a rule that cannot be used
 */
export async function replayDecisions({ id, config, rows }: ReplayDecisionsInput) {
  if (lastCompiled?.id !== id) lastCompiled = { id, relay: compileClientInput(() => compileRelay(config)) };
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
