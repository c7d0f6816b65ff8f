import { Fault } from '@floe/contract/faults';
import {
  describeRulesForKey,
  findStoredRulesForKeys,
  type KeyReferences,
  listReferencedKeys,
} from '../../platform/rules-for-keys.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { ConfigFileRule, OrgConfigFileRules } from '../guardrails/rule-dependencies.ts';

/**
 * Requires that no limit, budget or relay rule contains the name of one of these keys. Rules identify a key by its name,
 * so that they would no longer apply to the key after a change of its name.
 *
 * @throws Fault `conflict` for the first such key
 */
export async function requireNoRulesForKeys(
  reader: DatabaseReader,
  orgId: string,
  keyNames: ReadonlySet<string>,
  fileRules: OrgConfigFileRules,
): Promise<void> {
  const stored = await findStoredRulesForKeys(reader, orgId, keyNames);
  const inFile = listFileRules(fileRules);
  for (const name of keyNames) {
    const found = [
      ...(stored.get(name) ?? []),
      ...inFile.filter(({ keys }) => keys.has(name)).map(({ place }) => place),
    ];
    if (found.length > 0)
      throw new Fault('conflict', `The key "${name}" cannot be renamed, ${describeRulesForKey(found)}`, {
        param: 'name',
      });
  }
}

/** The rules of floe.yaml, with the keys that they refer to. */
function listFileRules({ limits, budgets, relayRules, file }: OrgConfigFileRules) {
  const kinds: readonly (readonly [string, readonly ConfigFileRule<KeyReferences>[]])[] = [
    ['limit', limits],
    ['budget', budgets],
    ['relay rule', relayRules],
  ];
  return kinds.flatMap(([label, rules]) =>
    rules.map(({ config, line }) => ({
      keys: listReferencedKeys(config),
      place: `${label} in ${file}:${line ?? 1}`,
    })),
  );
}
