import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatMoney, formatPercent, formatTokens } from '../../format/amounts.ts';
import { Card } from '../../ui/cards.tsx';
import { Chart } from '../../ui/chart.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { keyFiguresQuery, keyUseQuery } from './key-data.ts';

/** What one key did in the last 30 days. */
export function KeyUse({ id, name }: { readonly id: string; readonly name: string }) {
  const figures = useQuery(keyFiguresQuery(id));
  const use = useQuery(keyUseQuery(id)).data;
  const requests = (
    <OrgLink to="/requests" search={{ key: id, range: '30d' }}>
      Its requests
    </OrgLink>
  );
  const sums = figures.data;
  return (
    <Card title="Use, last 30 days" aside={requests}>
      {figures.error ? (
        <p className="text-ui text-ink-2">{figures.error.message}</p>
      ) : !sums ? (
        <Skeleton className="h-40" />
      ) : sums.requests === 0 ? (
        <p className="text-ui text-ink-2">Nothing was asked with it yet.</p>
      ) : (
        <div className="grid gap-4">
          <div className="flex flex-wrap gap-x-9 gap-y-2">
            <StatCard label="Requests" value={formatCount(sums.requests)} />
            <StatCard
              label="Errors"
              value={formatPercent(sums.errors / Math.max(sums.upstream_requests, 1))}
            />
            <StatCard label="Tokens in" value={formatTokens(sums.input_tokens)} />
            <StatCard label="Tokens out" value={formatTokens(sums.output_tokens)} />
            <StatCard label="Spend" value={formatMoney(sums.cost_nano_usd)} />
          </div>
          {use && (
            <Chart
              label={`Requests per day with ${name}`}
              at={use.at.map((at) => Date.parse(at))}
              series={[{ label: 'Requests', values: use.series[0]?.values ?? [] }]}
              format={formatCount}
              height={140}
            />
          )}
        </div>
      )}
    </Card>
  );
}
