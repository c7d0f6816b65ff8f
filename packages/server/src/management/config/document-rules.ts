import { isObject } from '@floe/contract/json';
import type { ListedKind } from '../../platform/file-org.ts';
import { type GuardrailKind, type GuardrailRow, rulesOfOrg } from '../../store/guardrail-rules.ts';
import type { FileRule, FileRules } from '../guardrails/rule-host.ts';
import { type DocumentKind, listed } from './document-kind.ts';

/** Rules: those of floe.yaml, which are not stored, then those of the API, oldest first. */
export function rules<Config extends { readonly name?: string | undefined }>(
  kind: ListedKind<Config> & { readonly kind: GuardrailKind },
  inFile: (rules: FileRules) => readonly FileRule<Config>[],
  configOf: (row: GuardrailRow) => Config,
  takesReason = false,
): DocumentKind {
  return listed(kind, { takesReason, meaningOf }, async (reading) => {
    const rows = (await rulesOfOrg(reading.reader, kind.kind, reading.orgId)).toReversed();
    const declared = inFile(reading.host.rules.fileRules(reading.orgId));
    return [
      ...declared.map(({ config }) => ({ id: kind.nameOf(config), source: 'file', entry: () => config })),
      ...rows.map((row) => {
        const config = configOf(row);
        return { id: row.id, source: 'console', meaning: meaningOf(config), entry: () => config };
      }),
    ];
  });
}

/** A rule is the stored one of its name, and without a name the one that says the same. */
function meaningOf(rule: { readonly name?: string | undefined }): string {
  if (rule.name !== undefined) return JSON.stringify({ name: rule.name });
  return JSON.stringify(rule, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
