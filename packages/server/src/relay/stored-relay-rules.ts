import type { RelayRuleConfig } from '@floe/contract/config';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { type GuardrailRuleRow, listAllGuardrailRules } from '../store/guardrail-rules.ts';
import type { DatabaseReader } from '../store/ports.ts';
import type { StoredRelayRule } from './org-relays.ts';

/** Returns the rules that were created with the API, of all organizations or of these, by organization id. */
export async function loadStoredRelayRules(
  reader: DatabaseReader,
  orgIds?: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredRelayRule[]>> {
  const byOrg = new Map<string, StoredRelayRule[]>();
  for (const row of await listAllGuardrailRules(reader, 'relay_rules', orgIds)) {
    const rules = byOrg.get(row.org_id) ?? [];
    rules.push({ id: row.id, config: parseStoredRelayRule(row) });
    byOrg.set(row.org_id, rules);
  }
  return byOrg;
}

/**
 * Parses a stored rule. Rules are validated when they are stored. The schema adds the defaults of
 * fields that later releases introduced.
 */
export function parseStoredRelayRule({ rule_json }: GuardrailRuleRow): RelayRuleConfig {
  return RelayRuleSchema.parse(JSON.parse(rule_json));
}
