import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { formatCount, formatMoney, formatPercent, formatTokens } from '../../format/amounts.ts';
import { Card } from '../../ui/cards.tsx';
import { Chart } from '../../ui/chart.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { buildKeyBlockedRequestsQuery, buildKeyTotalsQuery, buildKeyUsageQuery } from './key-data.ts';
import { keysText } from './text.ts';

/** Shows the requests, tokens and cost of a key in the last 30 days. */
export function KeyUsage({ id, name }: { readonly id: string; readonly name: string }) {
  const figures = useQuery(buildKeyTotalsQuery(id));
  const blocked = useQuery(buildKeyBlockedRequestsQuery(id)).data;
  const use = useQuery(buildKeyUsageQuery(id)).data;
  const requests = (
    <OrgLink to="/requests" search={{ key: id, range: '30d' }}>
      {keysText.usage.requests}
    </OrgLink>
  );
  const sums = figures.data;
  return (
    <Card title={keysText.usage.title} aside={requests}>
      {figures.error && !sums ? (
        <p className="text-ui text-ink-2">{figures.error.message}</p>
      ) : !sums ? (
        <Skeleton className="h-40" />
      ) : sums.requests === 0 ? (
        <p className="text-ui text-ink-2">{keysText.usage.none}</p>
      ) : (
        <div className="grid gap-4">
          <div className="flex flex-wrap gap-x-9 gap-y-2">
            <StatCard label={keysText.usage.requestCount} value={formatCount(sums.requests)} />
            <StatCard
              label={keysText.usage.errors}
              value={formatPercent(sums.errors / Math.max(sums.upstream_requests, 1))}
            />
            <StatCard label={keysText.usage.blocked} value={blocked ? formatCount(blocked.requests) : '–'} />
            <StatCard label={keysText.usage.inputTokens} value={formatTokens(sums.input_tokens)} />
            <StatCard label={keysText.usage.outputTokens} value={formatTokens(sums.output_tokens)} />
            <StatCard label={keysText.usage.cost} value={formatMoney(sums.cost_nano_usd)} />
          </div>
          {use && (
            <Chart
              label={keysText.usage.chart(name)}
              at={use.at.map((at) => Date.parse(at))}
              series={[{ label: keysText.usage.requestCount, values: use.series[0]?.values ?? [] }]}
              format={formatCount}
              height={140}
            />
          )}
        </div>
      )}
    </Card>
  );
}
