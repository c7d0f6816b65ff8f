import { compileWildcards } from '@floe/conditions/wildcards';
import * as z from 'zod';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { listStoredRulesOfOrg } from '../store/stored-rules.ts';

/** Maximum number of rules that a message contains. */
const MAX_LISTED_RULES = 10;

const WhoSchema = z.object({ keys: z.array(z.string()).optional() }).optional();

/** The fields by which limits, budgets and relay rules refer to keys. */
const KeyReferencesSchema = z.object({
  key: z.string().optional(),
  who: WhoSchema,
  except: z.array(z.object({ who: WhoSchema })).optional(),
});

interface WhoReferences {
  readonly who?: { readonly keys?: readonly string[] | undefined } | undefined;
}

/** The fields by which a limit, budget or relay rule refers to keys. */
export interface KeyReferences extends WhoReferences {
  readonly key?: string | undefined;
  readonly except?: readonly WhoReferences[] | undefined;
}

const RULE_KINDS = [
  { kind: 'limits', label: 'limit' },
  { kind: 'budgets', label: 'budget' },
  { kind: 'relay_rules', label: 'relay rule' },
] as const;

/** The new names of keys by their previous names. */
export type KeyRenames = ReadonlyMap<string, string>;

/** Returns the previous names of the keys for which a rule, or one of its exceptions, would no longer apply. */
export function listRenamedReferences(
  { key, who, except = [] }: KeyReferences,
  renames: KeyRenames,
): readonly string[] {
  const patterns = [who, ...except.map((one) => one.who)].flatMap((one) =>
    one?.keys ? [compileWildcards(one.keys)] : [],
  );
  const found = new Set<string>();
  if (key !== undefined && renames.has(key)) found.add(key);
  if (patterns.length > 0)
    for (const [name, next] of renames)
      if (patterns.some((matches) => matches(name) && !matches(next))) found.add(name);
  return [...found];
}

/**
 * Returns, for each of these previous key names, the rules that were created with the API and would no longer apply to
 * the key, such as `limit l`. Names without such rules are omitted. Yields to the event loop.
 */
export async function findStoredRulesForKeys(
  reader: DatabaseReader,
  orgId: string,
  renames: KeyRenames,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  if (renames.size === 0) return found;
  const turns = new EventLoopYielder();
  for (const { kind, label } of RULE_KINDS)
    for (const { id, rule_json } of await listStoredRulesOfOrg(reader, kind, orgId)) {
      const rule = KeyReferencesSchema.parse(JSON.parse(rule_json));
      for (const name of listRenamedReferences(rule, renames)) {
        const rules = found.get(name) ?? [];
        rules.push(`${label} ${id}`);
        found.set(name, rules);
      }
      await turns.endStep();
    }
  return found;
}

/** Returns why a key cannot be renamed: the rules that refer to it. */
export function describeRulesForKey(rules: readonly string[]): string {
  const more = rules.length - MAX_LISTED_RULES;
  return `because other resources refer to its name: ${rules.slice(0, MAX_LISTED_RULES).join(', ')}${more > 0 ? ` and ${more} more` : ''}. Change these resources first.`;
}
