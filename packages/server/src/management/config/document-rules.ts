import { isJsonObject } from '@floe/contract/json';
import type { DeclaredResourceKind } from '../../platform/declared-resources.ts';
import { listStoredRulesOfOrg, type StoredRuleKind, type StoredRuleRow } from '../../store/stored-rules.ts';
import type { ConfigFileRule, OrgConfigFileRules } from '../guardrails/rule-dependencies.ts';
import { type DocumentResourceKind, defineDocumentListResourceKind } from './document-resource-kind.ts';

/**
 * Defines how a kind of rule is represented in a configuration document. Existing rules are listed in this
 * order: first the rules in floe.yaml, which are not stored, and then the rules that were created with the API,
 * oldest first.
 */
export function defineDocumentRuleResourceKind<Config extends { readonly name?: string | undefined }>(
  kind: DeclaredResourceKind<Config> & { readonly kind: StoredRuleKind },
  fileRulesOf: (rules: OrgConfigFileRules) => readonly ConfigFileRule<Config>[],
  parseConfig: (row: StoredRuleRow) => Config,
  acceptsReason = false,
): DocumentResourceKind {
  return defineDocumentListResourceKind(
    kind,
    { acceptsReason, matchKeyOf: ruleMatchKey },
    async (reading) => {
      const rows = (await listStoredRulesOfOrg(reading.reader, kind.kind, reading.orgId)).toReversed();
      const declared = fileRulesOf(reading.dependencies.rules.getFileRules(reading.orgId));
      return [
        ...declared.map(({ config }) => ({ id: kind.nameOf(config), source: 'file', toEntry: () => config })),
        ...rows.map((row) => {
          const config = parseConfig(row);
          return { id: row.id, source: 'console', matchKey: ruleMatchKey(config), toEntry: () => config };
        }),
      ];
    },
  );
}

/** A rule matches the stored rule of the same name. A rule without a name matches one with equal content. */
function ruleMatchKey(rule: { readonly name?: string | undefined }): string {
  if (rule.name !== undefined) return JSON.stringify({ name: rule.name });
  return JSON.stringify(rule, (_, value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
