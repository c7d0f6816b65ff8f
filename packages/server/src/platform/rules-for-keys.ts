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

/** A rule of any kind that can refer to keys. */
export interface KeyReferences extends WhoReferences {
  readonly key?: string | undefined;
  readonly except?: readonly WhoReferences[] | undefined;
}

const RULE_KINDS = [
  { kind: 'limits', label: 'limit' },
  { kind: 'budgets', label: 'budget' },
  { kind: 'relay_rules', label: 'relay rule' },
] as const;

/** Returns the names of the keys that a rule refers to. */
export function listReferencedKeys({ key, who, except = [] }: KeyReferences): ReadonlySet<string> {
  const names = new Set([...(who?.keys ?? []), ...except.flatMap((one) => one.who?.keys ?? [])]);
  if (key !== undefined) names.add(key);
  return names;
}

/**
 * Returns, for each of these key names, the rules that were created with the API and refer to it, such as `limit l`. Names
 * without such rules are omitted. Yields to the event loop.
 */
export async function findStoredRulesForKeys(
  reader: DatabaseReader,
  orgId: string,
  keyNames: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  if (keyNames.size === 0) return found;
  const turns = new EventLoopYielder();
  for (const { kind, label } of RULE_KINDS)
    for (const { id, rule_json } of await listStoredRulesOfOrg(reader, kind, orgId)) {
      for (const name of listReferencedKeys(KeyReferencesSchema.parse(JSON.parse(rule_json)))) {
        if (!keyNames.has(name)) continue;
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
