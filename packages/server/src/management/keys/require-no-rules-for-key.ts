import { BudgetSchema, LimitSchema } from '@floe/contract/config/limits-cache-policies';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { Fault } from '@floe/contract/faults';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { listStoredRulesOfOrg } from '../../store/stored-rules.ts';
import type { ConfigFileRule, OrgConfigFileRules } from '../guardrails/rule-dependencies.ts';

/** Maximum number of rules that a message contains. */
const MAX_LISTED_RULES = 10;

/** The fields by which rules of all kinds refer to keys. */
interface KeyReferences {
  readonly name?: string | undefined;
  readonly key?: string | undefined;
  readonly who?: { readonly keys?: readonly string[] | undefined } | undefined;
}

/**
 * Requires that no limit, budget or relay rule contains the name of a key. Rules identify a key by its name, so that
 * they would no longer apply to the key after a change of its name.
 *
 * @throws Fault `conflict`
 */
export async function requireNoRulesForKey(
  reader: DatabaseReader,
  orgId: string,
  keyName: string,
  fileRules: OrgConfigFileRules,
): Promise<void> {
  const kinds = [
    { kind: 'limits', singular: 'limit', schema: LimitSchema, inFile: fileRules.limits },
    { kind: 'budgets', singular: 'budget', schema: BudgetSchema, inFile: fileRules.budgets },
    { kind: 'relay_rules', singular: 'relay rule', schema: RelayRuleSchema, inFile: fileRules.relayRules },
  ] as const;
  const found: string[] = [];
  for (const { kind, singular, schema, inFile } of kinds) {
    for (const { id, rule_json } of await listStoredRulesOfOrg(reader, kind, orgId))
      if (refersTo(schema.parse(JSON.parse(rule_json)), keyName)) found.push(`${singular} ${id}`);
    for (const { config, line } of inFile as readonly ConfigFileRule<KeyReferences>[])
      if (refersTo(config, keyName)) found.push(`${singular} in ${fileRules.file}:${line ?? 1}`);
  }
  if (found.length > 0)
    throw new Fault(
      'conflict',
      `This key cannot be renamed, because other resources refer to its name: ${found.slice(0, MAX_LISTED_RULES).join(', ')}${found.length > MAX_LISTED_RULES ? ` and ${found.length - MAX_LISTED_RULES} more` : ''}. Change these resources first.`,
      { param: 'name' },
    );
}

function refersTo({ key, who }: KeyReferences, keyName: string): boolean {
  return key === keyName || who?.keys?.includes(keyName) === true;
}
