import type { RelayRuleConfig } from '@floe/contract/config';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { compileRule } from '@floe/relay/rules/compile-rule';
import { type UnusableResource, UnusableResourceCollector } from '../platform/config/unusable-resources.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { listAllStoredRules, type StoredRuleRow } from '../store/stored-rules.ts';
import type { StoredRelayRule } from './relay-config-registry.ts';

/** The relay rules that were created with the API. */
export interface LoadedRelayRules {
  /** The rules by organization id. */
  readonly byOrg: ReadonlyMap<string, readonly StoredRelayRule[]>;
  /** Rules that a newer release stored and this release cannot read. They are not applied. */
  readonly unusable: readonly UnusableResource[];
}

/**
 * Loads the relay rules that were created with the API: those of the given organizations, or of all if the
 * parameter is omitted.
 */
export async function loadStoredRelayRules(
  reader: DatabaseReader,
  orgIds?: readonly string[],
): Promise<LoadedRelayRules> {
  const unusable = new UnusableResourceCollector();
  const byOrg = new Map<string, StoredRelayRule[]>();
  for (const row of await listAllStoredRules(reader, 'relay_rules', orgIds)) {
    const rules = byOrg.get(row.org_id) ?? [];
    const id = `${row.org_id}/relay_rules/${row.id}`;
    rules.push(...unusable.read(id, () => ({ id: row.id, config: parseStoredRelayRule(row) })));
    byOrg.set(row.org_id, rules);
  }
  return { byOrg, unusable: unusable.found };
}

/**
 * Parses a stored rule, which was validated when it was stored. Adds the defaults of fields that later
 * releases introduced.
 */
export function parseStoredRelayRule({ rule_json }: StoredRuleRow): RelayRuleConfig {
  return RelayRuleSchema.parse(JSON.parse(rule_json));
}

/**
 * Compiles rules one at a time and yields to the event loop in between. The compiled rules are cached, so that
 * their first use does not block the event loop. Ignores errors, because they are reported when a rule is used.
 */
export async function precompileRelayRules(
  rules: readonly RelayRuleConfig[],
  endStep: () => Promise<void>,
): Promise<void> {
  for (const rule of rules) {
    try {
      compileRule(rule);
    } catch {
      // Reported when the rule is used.
    }
    await endStep();
  }
}
