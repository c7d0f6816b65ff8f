import type { GuardrailRulesTable } from './guardrail-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './ports.ts';

export type GuardrailRuleRow = GuardrailRulesTable;
/**
 * The kinds of rule that are stored in tables with the same columns: limits, budgets and relay
 * rules.
 */
export type GuardrailRuleKind = 'limits' | 'budgets' | 'relay_rules';

/** Returns the rules of the given organizations, or of all organizations if the parameter is omitted. */
export function listAllGuardrailRules(
  reader: DatabaseReader,
  kind: GuardrailRuleKind,
  orgIds?: readonly string[],
): Promise<GuardrailRuleRow[]> {
  let query = reader.selectFrom(kind).selectAll();
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** Returns an organization's rules, newest first. */
export function listGuardrailRulesOfOrg(
  reader: DatabaseReader,
  kind: GuardrailRuleKind,
  orgId: string,
): Promise<GuardrailRuleRow[]> {
  return reader
    .selectFrom(kind)
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Returns an organization's rules whose JSON has this `name`. There is usually at most one. */
export async function findGuardrailRulesByName(
  reader: DatabaseReader,
  kind: GuardrailRuleKind,
  orgId: string,
  name: string,
): Promise<GuardrailRuleRow[]> {
  const rows = await reader
    .selectFrom(kind)
    .selectAll()
    .where('org_id', '=', orgId)
    // `_` and `%` in a name match other characters too. The results are checked below.
    .where('rule_json', 'like', `%"name":${JSON.stringify(name)}%`)
    .execute();
  return rows.filter(({ rule_json }) => JSON.parse(rule_json).name === name);
}

export function findGuardrailRuleById(
  reader: DatabaseReader,
  kind: GuardrailRuleKind,
  orgId: string,
  id: string,
): Promise<GuardrailRuleRow | undefined> {
  return reader
    .selectFrom(kind)
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Inserts a rule, or replaces the one with the same id but keeps its creation data. */
export async function upsertGuardrailRule(
  writer: DatabaseWriter,
  kind: GuardrailRuleKind,
  row: GuardrailRuleRow,
): Promise<void> {
  const { rule_json, updated_at, updated_by } = row;
  await writer
    .insertInto(kind)
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'id']).doUpdateSet({ rule_json, updated_at, updated_by }),
    )
    .execute();
}

export async function deleteGuardrailRule(
  writer: DatabaseWriter,
  kind: GuardrailRuleKind,
  orgId: string,
  id: string,
): Promise<void> {
  await writer.deleteFrom(kind).where('org_id', '=', orgId).where('id', '=', id).execute();
}
