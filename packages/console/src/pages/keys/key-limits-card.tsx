import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { capitalize } from '../../format/words.ts';
import { Card } from '../../ui/cards.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { BudgetSpendMeter } from '../budgets/budget-columns.tsx';
import { describeLimitSubject } from '../limits/limit-subject.ts';
import { LimitUsage } from '../limits/limit-usage.tsx';
import { limitsText } from '../limits/text.ts';
import { type KeyResource, limitsAndBudgetsQuery } from './key-data.ts';
import { findKeyLimitsAndBudgets } from './key-limits.ts';
import { keysText } from './text.ts';

const BOUNDS = ['rpm', 'tpm', 'concurrency'] as const;

/** Shows the limits and budgets that apply to the key, with their usage. */
export function KeyLimitsCard({ row }: { readonly row: KeyResource }) {
  const { data, error } = useQuery(limitsAndBudgetsQuery);
  const found = data && findKeyLimitsAndBudgets(row, data);
  return (
    <Card title={keysText.limits.title}>
      {error && !data ? (
        <p className="text-ui text-ink-2">{error.message}</p>
      ) : !found ? (
        <Skeleton className="h-10" />
      ) : found.limits.length + found.budgets.length === 0 ? (
        <p className="flex flex-wrap items-center gap-x-3 text-ui text-ink-2">
          {keysText.limits.none}
          <OrgLink to="/management/limits" search={{ open: 'new' }} needs="management">
            {keysText.limits.createLimit}
          </OrgLink>
          <OrgLink to="/management/budgets" search={{ open: 'new' }} needs="management">
            {keysText.limits.createBudget}
          </OrgLink>
        </p>
      ) : (
        <ul className="grid gap-2 text-ui">
          {found.limits.flatMap((limit) =>
            BOUNDS.filter((bound) => limit[bound] !== null).map((bound) => (
              <li key={`${limit.id} ${bound}`} className="grid gap-0.5">
                <OrgLink
                  to="/management/limits"
                  search={{ open: limit.id }}
                  className="text-accent-ink underlined"
                >
                  {keysText.limits.limit(
                    limit.name ?? keysText.limits.unnamed(describeLimitSubject(limit)),
                    limitsText.bounds[bound].toLowerCase(),
                  )}
                </OrgLink>
                <LimitUsage limit={limit} bound={bound} />
              </li>
            )),
          )}
          {found.budgets.map((budget) => (
            <li key={budget.id} className="grid gap-0.5">
              <OrgLink
                to="/management/budgets"
                search={{ open: budget.id }}
                className="text-accent-ink underlined"
              >
                {keysText.limits.budget(budget.name)}
              </OrgLink>
              <span className="text-small text-ink-2">{capitalize(describeLimitSubject(budget))}</span>
              <BudgetSpendMeter budget={budget} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
