import { Fault } from '@floe/contract/faults';
import {
  describeRulesForKey,
  findStoredRulesForKeys,
  type KeyReferences,
  type KeyRenames,
  listRenamedReferences,
} from '../../platform/rules-for-keys.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { ConfigFileRule, OrgConfigFileRules } from '../guardrails/rule-dependencies.ts';

/**
 * Requires that every limit, budget and relay rule that applies to one of these keys also applies to its new name. Rules
 * identify a key by its name or by a pattern for names.
 *
 * @throws Fault `conflict` for the first such key
 */
export async function requireNoRulesForKeys(
  reader: DatabaseReader,
  orgId: string,
  renames: KeyRenames,
  fileRules: OrgConfigFileRules,
): Promise<void> {
  const stored = await findStoredRulesForKeys(reader, orgId, renames);
  const inFile = listFileRules(fileRules, renames);
  for (const name of renames.keys()) {
    const found = [
      ...(stored.get(name) ?? []),
      ...inFile.filter(({ keys }) => keys.includes(name)).map(({ place }) => place),
    ];
    if (found.length > 0)
      throw new Fault('conflict', `The key "${name}" cannot be renamed, ${describeRulesForKey(found)}`, {
        param: 'name',
      });
  }
}

/** The rules of floe.yaml, with the previous names of the keys to which they would no longer apply. */
function listFileRules({ limits, budgets, relayRules, file }: OrgConfigFileRules, renames: KeyRenames) {
  const kinds: readonly (readonly [string, readonly ConfigFileRule<KeyReferences>[]])[] = [
    ['limit', limits],
    ['budget', budgets],
    ['relay rule', relayRules],
  ];
  return kinds.flatMap(([label, rules]) =>
    rules.map(({ config, line }) => ({
      keys: listRenamedReferences(config, renames),
      place: `${label} in ${file}:${line ?? 1}`,
    })),
  );
}
