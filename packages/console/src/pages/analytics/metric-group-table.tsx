import type { ReactNode } from 'react';
import type { Timeseries } from '../../data/analytics-queries.ts';
import { formatCount, formatMoney, formatPercent } from '../../format/amounts.ts';
import { PreviousPeriodChange } from '../../ui/cards.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { ScrollArea } from '../../ui/scroll-area.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import type { MetricTab } from './analytics-data.ts';
import type { AdditiveMetrics, MetricGroupRow } from './metric-groups.ts';
import { analyticsText } from './text.ts';

/** Lists the groups with their values, which add up to the total. The squares show the chart colors. */
export function MetricGroupTable({
  by,
  tab,
  rows,
  total,
  series,
  isStale,
  onChoose,
}: {
  readonly by: string;
  readonly tab: MetricTab;
  readonly rows: readonly MetricGroupRow[];
  readonly total: AdditiveMetrics;
  readonly series: Timeseries['series'];
  readonly isStale: boolean;
  readonly onChoose: (value: string) => void;
}) {
  return (
    <ScrollArea
      as="section"
      aria-label={analyticsText.table.label(tab.label, by)}
      className={joinClassNames(
        'overflow-x-auto rounded-card border border-line bg-surface -outline-offset-2',
        isStale && 'stale',
      )}
    >
      <table className="w-full min-w-max text-ui figures">
        <TableHead by={by} tab={tab} />
        <tbody>
          {rows.map((row) => {
            // The chart has fewer groups than the table, so its line of all other groups is not that of the row.
            const at = row.isOther
              ? -1
              : series.findIndex(({ value, other }) => !other && value === row.value);
            return (
              <tr key={`${row.isOther} ${row.value}`} className="border-t border-line hover:bg-hover">
                <th scope="row" className="px-4 py-1.5 text-left font-normal">
                  <span className="flex items-center gap-2">
                    <Swatch at={at} />
                    <Name row={row} onChoose={onChoose} />
                  </span>
                </th>
                <Cells row={row} tab={tab} />
                <td className="px-4 max-md:hidden">
                  {at >= 0 && <Sparkline values={newestValues(series[at]?.values ?? [])} />}
                </td>
              </tr>
            );
          })}
        </tbody>
        <TableFoot tab={tab} total={total} />
      </table>
    </ScrollArea>
  );
}

function TableHead({ by, tab }: { readonly by: string; readonly tab: MetricTab }) {
  const isRequests = tab.sum === 'requests';
  return (
    <thead className="text-label text-ink-2">
      <tr>
        <th scope="col" className="px-4 py-2 text-left font-medium">
          {by}
        </th>
        {!isRequests && <Head>{tab.label}</Head>}
        <Head>{isRequests ? analyticsText.table.requests : analyticsText.table.share}</Head>
        <Head>{isRequests ? analyticsText.table.share : analyticsText.table.requests}</Head>
        <Head hidden>{analyticsText.table.costPerRequest}</Head>
        <Head>{analyticsText.table.change}</Head>
        <th scope="col" className="px-4 py-2 text-left font-medium max-md:hidden">
          {analyticsText.table.trend}
        </th>
      </tr>
    </thead>
  );
}

function TableFoot({ tab, total }: { readonly tab: MetricTab; readonly total: AdditiveMetrics }) {
  const isRequests = tab.sum === 'requests';
  const whole = total[tab.sum] > 0 ? '100%' : '–';
  return (
    <tfoot>
      <tr className="border-t border-line-strong font-semibold">
        <th scope="row" className="px-4 py-2 text-left">
          {analyticsText.table.total}
        </th>
        {!isRequests && <Cell>{tab.format(total[tab.sum])}</Cell>}
        <Cell>{isRequests ? formatCount(total.requests) : whole}</Cell>
        <Cell>{isRequests ? whole : formatCount(total.requests)}</Cell>
        <Cell hidden>{costPerRequest(total)}</Cell>
        <Cell>{null}</Cell>
        <Cell hidden>{null}</Cell>
      </tr>
    </tfoot>
  );
}

function Cells({ row, tab }: { readonly row: MetricGroupRow; readonly tab: MetricTab }) {
  const { sums, share, change } = row;
  const part = share === null ? '–' : formatPercent(share);
  const isRequests = tab.sum === 'requests';
  return (
    <>
      {!isRequests && <Cell>{tab.format(sums[tab.sum])}</Cell>}
      <Cell>{isRequests ? formatCount(sums.requests) : part}</Cell>
      <Cell>{isRequests ? part : formatCount(sums.requests)}</Cell>
      <Cell hidden>{costPerRequest(sums)}</Cell>
      <Cell>
        {change === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <PreviousPeriodChange
            ratio={change}
            text={formatPercent(Math.abs(change))}
            worse={tab.worse ?? false}
          />
        )}
      </Cell>
    </>
  );
}

function Name({
  row,
  onChoose,
}: {
  readonly row: MetricGroupRow;
  readonly onChoose: (value: string) => void;
}) {
  const { value, label } = row;
  if (value === null) return <span className="text-ink-2">{label}</span>;
  return (
    <button
      type="button"
      onClick={() => onChoose(value)}
      className="min-h-6 max-w-80 truncate text-left hover:underline"
    >
      {label}
    </button>
  );
}

function Swatch({ at }: { readonly at: number }) {
  const colour =
    at < 0 ? 'transparent' : at < 7 ? `var(--color-series-${at + 1})` : 'var(--color-series-other)';
  return (
    <span aria-hidden="true" className="size-2.5 shrink-0 rounded-[2px]" style={{ background: colour }} />
  );
}

function Head({ hidden = false, children }: { readonly hidden?: boolean; readonly children: ReactNode }) {
  return (
    <th scope="col" className={joinClassNames('px-4 py-2 text-right font-medium', hidden && 'max-md:hidden')}>
      {children}
    </th>
  );
}

function Cell({ hidden = false, children }: { readonly hidden?: boolean; readonly children: ReactNode }) {
  return (
    <td className={joinClassNames('px-4 py-1.5 text-right whitespace-nowrap', hidden && 'max-md:hidden')}>
      {children}
    </td>
  );
}

function costPerRequest({ cost_nano_usd, requests }: AdditiveMetrics): string {
  return requests === 0 ? '–' : formatMoney(Math.round(cost_nano_usd / requests));
}

/** Returns the newest 60 values, the maximum of a sparkline. */
function newestValues(values: readonly (number | null)[]): readonly (number | null)[] {
  return values.slice(-60);
}
