import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { capitalize } from '../../format/words.ts';
import { Card } from '../../ui/cards.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { Spent } from '../budgets/budget-columns.tsx';
import { Use } from '../limits/limit-use.tsx';
import { subjectText } from '../limits/subject.ts';
import { type Key, rulesQuery } from './key-data.ts';
import { rulesOf } from './key-rules.ts';
import { text } from './text.ts';

/** The limits and budgets that apply to the key, and their usage. */
export function KeyBounds({ row }: { readonly row: Key }) {
  const { data, error } = useQuery(rulesQuery);
  const found = data && rulesOf(row, data);
  return (
    <Card title={text.limits.title}>
      {error ? (
        <p className="text-ui text-ink-2">{error.message}</p>
      ) : !found ? (
        <Skeleton className="h-10" />
      ) : found.limits.length + found.budgets.length === 0 ? (
        <p className="flex flex-wrap items-center gap-x-3 text-ui text-ink-2">
          {text.limits.none}
          <OrgLink to="/management/limits" search={{ open: 'new' }} className="text-accent-ink underlined">
            {text.limits.createLimit}
          </OrgLink>
          <OrgLink to="/management/budgets" search={{ open: 'new' }} className="text-accent-ink underlined">
            {text.limits.createBudget}
          </OrgLink>
        </p>
      ) : (
        <ul className="grid gap-2 text-ui">
          {found.limits.map((limit) => (
            <li key={limit.id} className="grid gap-0.5">
              <OrgLink
                to="/management/limits"
                search={{ open: limit.id }}
                className="text-accent-ink underlined"
              >
                {text.limits.limit(subjectText(limit))}
              </OrgLink>
              <Use
                limit={limit}
                bound={limit.rpm !== null ? 'rpm' : limit.tpm !== null ? 'tpm' : 'concurrency'}
              />
            </li>
          ))}
          {found.budgets.map((budget) => (
            <li key={budget.id} className="grid gap-0.5">
              <OrgLink
                to="/management/budgets"
                search={{ open: budget.id }}
                className="text-accent-ink underlined"
              >
                {text.limits.budget(budget.name)}
              </OrgLink>
              <span className="text-small text-ink-2">{capitalize(subjectText(budget))}</span>
              <Spent budget={budget} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
