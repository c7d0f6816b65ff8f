import { MAX_LIST_ENTRIES } from './max-resources-per-org.ts';

/** Returns the problem of a relay rule with too many patterns, or null. Both values may be invalid. */
export function findPatternCountProblem(match: unknown, except: unknown): string | null {
  const exceptions: readonly unknown[] = Array.isArray(except) ? except : [];
  const matches = [match, ...exceptions.map((one): unknown => Reflect.get(Object(one), 'match'))];
  const maximum = MAX_LIST_ENTRIES.relayRulePatterns;
  if (countStrings(matches, maximum) <= maximum) return null;
  return `must have at most ${maximum} patterns, including those of the exceptions; split the rule`;
}

/** Returns the number of strings in a value of any depth. Stops counting above the maximum. */
function countStrings(value: unknown, maximum: number): number {
  let count = 0;
  const values = [value];
  while (values.length > 0 && count <= maximum) {
    const next = values.pop();
    if (typeof next === 'string') count += 1;
    else if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) values.push(inner);
  }
  return count;
}
