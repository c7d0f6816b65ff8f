import { PageFrame } from '../../app/page-frame.tsx';
import type { PrefetchQueries } from '../../app/page-route.ts';
import { useUrlState } from '../../app/url-state.ts';
import { type FilterField, filterValues, toFilterTokens } from '../../filters/filter-text.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { alertsQuery } from '../channels/channel-data.ts';
import { DeliveryLog } from '../channels/delivery-log.tsx';

/** The API's own parameters. */
const FIELDS: readonly FilterField[] = [
  {
    name: 'event',
    label: 'event',
    values: [
      'monitor_failing',
      'monitor_recovered',
      'monitor_never_beaten',
      'budget',
      'breaker',
      'credential',
    ],
  },
  { name: 'subject', label: 'subject' },
  { name: 'channel', label: 'channel' },
  { name: 'state', label: 'delivery', values: ['pending', 'sent', 'failed', 'muted', 'skipped'] },
];

/** What the page of a link will read. */
export const prefetchAlerts: PrefetchQueries = (client, { query }) =>
  void client.prefetchInfiniteQuery(alertsQuery(filterValues(toFilterTokens(query, FIELDS))));

/** Who was told what, when, and did it arrive? */
export function AlertsPage() {
  const { query, change } = useUrlState();
  const tokens = toFilterTokens(query, FIELDS);
  return (
    <PageFrame title="Alerts">
      <div className="grid max-w-4xl gap-2">
        <FilterBar
          fields={FIELDS}
          tokens={tokens}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder="Filter by event, subject, channel, delivery…"
        />
        <DeliveryLog filters={filterValues(tokens)} />
      </div>
    </PageFrame>
  );
}
