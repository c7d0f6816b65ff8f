import type { StoredRulesTable } from './rule-and-spend-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type StoredRuleRow = StoredRulesTable;
/**
 * The kinds of rule that are stored in tables with the same columns: limits, budgets and relay
 * rules.
 */
export type StoredRuleKind = 'limits' | 'budgets' | 'relay_rules';

/** Returns the rules of the given organizations, or of all organizations if the parameter is omitted. */
export function listAllStoredRules(
  reader: DatabaseReader,
  kind: StoredRuleKind,
  orgIds?: readonly string[],
): Promise<StoredRuleRow[]> {
  let query = reader.selectFrom(kind).selectAll();
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** Returns an organization's rules, newest first. */
export function listStoredRulesOfOrg(
  reader: DatabaseReader,
  kind: StoredRuleKind,
  orgId: string,
): Promise<StoredRuleRow[]> {
  return reader
    .selectFrom(kind)
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Returns an organization's rules whose JSON has this `name`. There is usually at most one. */
export async function listStoredRulesByName(
  reader: DatabaseReader,
  kind: StoredRuleKind,
  orgId: string,
  name: string,
): Promise<StoredRuleRow[]> {
  const rows = await reader
    .selectFrom(kind)
    .selectAll()
    .where('org_id', '=', orgId)
    // `_` and `%` in a name match other characters too. The results are checked below.
    .where('rule_json', 'like', `%"name":${JSON.stringify(name)}%`)
    .execute();
  return rows.filter(({ rule_json }) => JSON.parse(rule_json).name === name);
}

export function findStoredRuleById(
  reader: DatabaseReader,
  kind: StoredRuleKind,
  orgId: string,
  id: string,
): Promise<StoredRuleRow | undefined> {
  return reader
    .selectFrom(kind)
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Inserts a rule, or replaces the one with the same id but keeps its creation data. */
export async function upsertStoredRule(
  writer: DatabaseWriter,
  kind: StoredRuleKind,
  row: StoredRuleRow,
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

export async function deleteStoredRule(
  writer: DatabaseWriter,
  kind: StoredRuleKind,
  orgId: string,
  id: string,
): Promise<void> {
  await writer.deleteFrom(kind).where('org_id', '=', orgId).where('id', '=', id).execute();
}
