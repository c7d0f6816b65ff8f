import type { Budget } from '../budgets/budget-form.ts';
import type { Limit } from '../limits/limit-form.ts';
import type { KeyResource } from './key-data.ts';

interface Rules {
  readonly limits: readonly Limit[];
  readonly budgets: readonly Budget[];
}

/**
 * Returns the limits and budgets that apply to a key. Omits limits and budgets for end users, because the end
 * user depends on the request.
 */
export function findKeyLimitsAndBudgets(
  key: Pick<KeyResource, 'name' | 'team' | 'owner'>,
  { limits, budgets }: Rules,
): Rules {
  const counts = ({ scope, per, ...named }: Limit | Budget) => {
    const kind = scope ?? per;
    if (kind === 'org' || kind === null) return true;
    if (kind === 'end_user') return false;
    if (per !== null) return true;
    const own = { key: key.name, team: key.team, owner: key.owner }[kind];
    return own !== null && named[kind] === own;
  };
  return { limits: limits.filter(counts), budgets: budgets.filter(counts) };
}

/** Returns whether at least one limit or budget applies to the key. */
export function hasLimitOrBudget(key: Pick<KeyResource, 'name' | 'team' | 'owner'>, rules: Rules): boolean {
  const found = findKeyLimitsAndBudgets(key, rules);
  return found.limits.length > 0 || found.budgets.length > 0;
}
