import type { RelayRuleConfig } from '@floe/contract/config';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { allRules, type GuardrailRow } from '../store/guardrail-rules.ts';
import type { Reader } from '../store/ports.ts';
import type { StoredRelayRule } from './org-relays.ts';

/** Rules that were made through the API, by org. */
export async function loadStoredRelayRules(
  reader: Reader,
): Promise<ReadonlyMap<string, readonly StoredRelayRule[]>> {
  const byOrg = new Map<string, StoredRelayRule[]>();
  for (const row of await allRules(reader, 'relay_rules')) {
    const rules = byOrg.get(row.org_id) ?? [];
    rules.push({ id: row.id, config: storedRelayRule(row) });
    byOrg.set(row.org_id, rules);
  }
  return byOrg;
}

/** A stored rule was checked when it was written; the schema fills in what a later release added. */
export function storedRelayRule({ rule_json }: GuardrailRow): RelayRuleConfig {
  return RelayRuleSchema.parse(JSON.parse(rule_json));
}
