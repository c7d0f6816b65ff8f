import type { Budget } from '../budgets/budget-form.ts';
import type { Limit } from '../limits/limit-form.ts';
import type { Key } from './key-data.ts';

interface Rules {
  readonly limits: readonly Limit[];
  readonly budgets: readonly Budget[];
}

/** The limits and budgets that count a key; those of end users depend on the request and are left out. Pure. */
export function rulesOf(key: Pick<Key, 'name' | 'team' | 'owner'>, { limits, budgets }: Rules): Rules {
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

/** Whether anything at all bounds the key: how fast it may ask, or what it may spend. */
export function isBounded(key: Pick<Key, 'name' | 'team' | 'owner'>, rules: Rules): boolean {
  const found = rulesOf(key, rules);
  return found.limits.length > 0 || found.budgets.length > 0;
}
