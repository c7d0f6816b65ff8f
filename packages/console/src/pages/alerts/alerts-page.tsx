import { PageFrame } from '../../app/page-frame.tsx';
import type { PageQueryPrefetcher } from '../../app/page-route.ts';
import { useUrlState } from '../../app/url-state.ts';
import { type FilterField, toFilterQuery, toFilterTokens } from '../../filters/filter-text.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { buildAlertsQuery } from '../channels/channel-data.ts';
import { DeliveryLog } from '../channels/delivery-log.tsx';
import { alertsText } from './text.ts';

/** The filter fields. Their names are the query parameters of the API. */
const FIELDS: readonly FilterField[] = [
  {
    name: 'event',
    label: alertsText.filters.event,
    values: [
      'monitor_failing',
      'monitor_recovered',
      'monitor_never_beaten',
      'budget',
      'breaker',
      'credential',
    ],
  },
  { name: 'subject', label: alertsText.filters.subject },
  { name: 'channel', label: alertsText.filters.channel },
  {
    name: 'state',
    label: alertsText.filters.state,
    values: ['pending', 'sent', 'failed', 'muted', 'skipped'],
  },
];

/** Starts the queries of the page before it is rendered. */
export const prefetchAlerts: PageQueryPrefetcher = (client, { query }) =>
  void client.prefetchInfiniteQuery(buildAlertsQuery(toFilterQuery(toFilterTokens(query, FIELDS))));

/** Lists all alerts with their deliveries. */
export function AlertsPage() {
  const { query, change } = useUrlState();
  const tokens = toFilterTokens(query, FIELDS);
  return (
    <PageFrame title={alertsText.page.title}>
      <div className="grid max-w-4xl gap-2">
        <FilterBar
          fields={FIELDS}
          tokens={tokens}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder={alertsText.page.filterPlaceholder}
        />
        <DeliveryLog filters={toFilterQuery(tokens)} />
      </div>
    </PageFrame>
  );
}
