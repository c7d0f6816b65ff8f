import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { toExactFilterValue } from '../../filters/filter-value.ts';
import { type SelectedTimeRange, toTimeRangeLinkParameters } from '../../filters/time-range.ts';
import { formatCount, formatMoney } from '../../format/amounts.ts';
import { Card } from '../../ui/cards.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { type DisplayStatus, StatusIcon } from '../../ui/status.tsx';
import { getMissingValueLabel } from '../analytics/metric-groups.ts';
import { FailedPart, hasFailed } from './failed-part.tsx';
import { buildOverviewTopValuesQuery, buildRecentAnnotationsQuery, type Overview } from './overview-data.ts';
import { overviewText } from './text.ts';

/** Shows the models and keys with the highest spend, recent errors, monitors and recent events. */
export function OverviewLists({
  span,
  overview,
}: {
  readonly span: SelectedTimeRange;
  readonly overview: Overview;
}) {
  return (
    <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      <TopSpendCard span={span} title={overviewText.lists.modelsBySpend} by="model" />
      <TopSpendCard span={span} title={overviewText.lists.keysBySpend} by="key" />
      <ErrorsCard span={span} />
      <MonitorsCard counts={overview.monitors} />
      <div className="grid md:col-span-2">
        <EventsCard span={span} />
      </div>
    </div>
  );
}

function TopSpendCard({
  span,
  title,
  by,
}: {
  readonly span: SelectedTimeRange;
  readonly title: string;
  readonly by: 'model' | 'key';
}) {
  const query = useQuery(buildOverviewTopValuesQuery(by, 'cost_nano_usd', span));
  const time = toTimeRangeLinkParameters(span);
  const all = query.data?.data ?? [];
  const most = Math.max(...all.map(({ cost_nano_usd }) => cost_nano_usd), 1);
  return (
    <Card
      title={title}
      aside={
        <OrgLink to="/analytics" search={{ by, ...time }}>
          {overviewText.lists.all}
        </OrgLink>
      }
    >
      <Rows query={query} empty={all.length === 0 ? overviewText.lists.noRequests : null}>
        {all.map(({ value, name, cost_nano_usd, requests }) => (
          <Row
            key={value ?? ''}
            label={
              <OrgLink
                to="/requests"
                search={{ [by]: value === null ? '!*' : toExactFilterValue(value), ...time }}
                className="hover:underline"
              >
                {name ?? value ?? getMissingValueLabel(by)}
              </OrgLink>
            }
            value={
              cost_nano_usd === 0 ? overviewText.lists.freeRequests(requests) : formatMoney(cost_nano_usd)
            }
            share={cost_nano_usd / most}
          />
        ))}
      </Rows>
    </Card>
  );
}

function ErrorsCard({ span }: { readonly span: SelectedTimeRange }) {
  const query = useQuery(buildOverviewTopValuesQuery('error_code', 'errors', span));
  const time = toTimeRangeLinkParameters(span);
  const all = (query.data?.data ?? []).filter(({ errors }) => errors > 0);
  return (
    <Card
      title={overviewText.lists.errorsByCode}
      aside={
        <OrgLink to="/analytics" search={{ metric: 'errors', ...time }}>
          {overviewText.lists.all}
        </OrgLink>
      }
    >
      <Rows query={query} empty={all.length === 0 ? overviewText.lists.noErrors : null}>
        {all.map(({ value, errors }) => (
          <Row
            key={value ?? ''}
            label={
              value === null ? (
                overviewText.lists.noErrorCode
              ) : (
                <OrgLink
                  to="/requests"
                  search={{ error_code: toExactFilterValue(value), ...time }}
                  className="hover:underline"
                >
                  {value.replaceAll('_', ' ')}
                </OrgLink>
              )
            }
            value={formatCount(errors)}
          />
        ))}
      </Rows>
    </Card>
  );
}

function MonitorsCard({ counts }: { readonly counts: Overview['monitors'] }) {
  const states: readonly (readonly [DisplayStatus, string, number])[] = [
    ['failing', overviewText.lists.monitorStates.failing, counts.failing],
    ['waiting', overviewText.lists.monitorStates.waiting, counts.waiting],
    ['paused', overviewText.lists.monitorStates.paused, counts.paused],
    ['healthy', overviewText.lists.monitorStates.healthy, counts.healthy],
  ];
  const total = states.reduce((sum, [, , number]) => sum + number, 0);
  return (
    <Card
      title={overviewText.lists.monitors}
      aside={<OrgLink to="/monitors">{overviewText.lists.all}</OrgLink>}
    >
      {total === 0 ? (
        <p className="text-ui text-ink-2">{overviewText.lists.noMonitors}</p>
      ) : (
        <ul className="flex flex-wrap gap-x-5 gap-y-2 text-ui">
          {states.map(([state, word, number]) =>
            number === 0 ? null : (
              <li key={state} className="flex items-center gap-1.5">
                <StatusIcon state={state} />
                <span className="figures">{number}</span> {word}
              </li>
            ),
          )}
        </ul>
      )}
    </Card>
  );
}

function EventsCard({ span }: { readonly span: SelectedTimeRange }) {
  const query = useQuery(buildRecentAnnotationsQuery(span));
  const events = query.data ?? [];
  return (
    <Card
      title={overviewText.lists.events}
      aside={
        <OrgLink to="/management/audit" search={toTimeRangeLinkParameters(span)}>
          {overviewText.lists.auditLog}
        </OrgLink>
      }
    >
      <Rows query={query} empty={events.length === 0 ? overviewText.lists.noEvents : null}>
        {events.map(({ at, text: event, by }) => (
          <li key={`${at} ${event}`} className="flex justify-between gap-3 py-1.5 text-ui">
            <span className="min-w-0 break-words">
              {event} {by && <span className="text-ink-2">{overviewText.lists.by(by)}</span>}
            </span>
            <span className="shrink-0 text-small text-ink-3">
              <RelativeTimeText at={new Date(at).toISOString()} />
            </span>
          </li>
        ))}
      </Rows>
    </Card>
  );
}

/** Renders the rows of a card, or a message if they could not be loaded or there are none. */
function Rows({
  query,
  empty,
  children,
}: {
  readonly query: Parameters<typeof hasFailed>[0][number];
  /** The message if there are no rows, otherwise null. */
  readonly empty: string | null;
  readonly children: ReactNode;
}) {
  if (hasFailed([query])) return <FailedPart what={overviewText.lists.loadFailed} queries={[query]} />;
  if (query.data && empty) return <p className="text-ui text-ink-2">{empty}</p>;
  return <ul className="divide-y divide-line">{children}</ul>;
}

function Row({
  label,
  value,
  share,
}: {
  readonly label: ReactNode;
  readonly value: string;
  /** The value as a fraction of the largest value. If set, a bar is drawn. */
  readonly share?: number;
}) {
  return (
    <li className="py-1.5 text-ui">
      <span className="flex justify-between gap-3">
        <span className="min-w-0 truncate">{label}</span>
        <span className="shrink-0 figures">{value}</span>
      </span>
      {share !== undefined && share > 0 && (
        <span
          aria-hidden="true"
          className="mt-1 block h-1 rounded-full bg-volume"
          style={{ width: `${share * 100}%` }}
        />
      )}
    </li>
  );
}
