import type { RequestRow } from '@floe/contract/api/analytics';
import { formatDuration } from '../../format/amounts.ts';
import { Badge } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { formatMetadataValue } from './request-rows.ts';
import { requestsText } from './text.ts';

/** Returns the column for a metadata key, which the user can select. */
export function buildMetadataColumn(name: string): TableColumn<RequestRow> {
  return extra(`metadata.${name}`, name, ({ metadata }) =>
    name in metadata ? formatMetadataValue(metadata[name]) : '–',
  );
}

/** The columns that are hidden until the user selects them. */
export const OPTIONAL_REQUEST_COLUMNS: readonly TableColumn<RequestRow>[] = [
  extra('surface', requestsText.columns.surface, ({ surface }) => surface),
  extra('route_mode', requestsText.columns.routeMode, ({ route_mode }) => route_mode),
  extra('provider', requestsText.columns.provider, ({ provider }) => provider ?? '–'),
  extra('cache', requestsText.columns.cache, ({ cache }) => cache ?? '–'),
  extra('overhead', requestsText.columns.overhead, ({ overhead_ms }) => formatDuration(overhead_ms)),
  extra('owner', requestsText.columns.owner, ({ owner }) => owner ?? '–'),
  extra('team', requestsText.columns.team, ({ team }) => team ?? '–'),
  extra('end_user', requestsText.columns.endUser, ({ end_user }) => end_user ?? '–'),
  extra('client', requestsText.columns.client, ({ client }) => client ?? '–'),
  extra('session', requestsText.columns.session, ({ session }) => session ?? '–'),
  extra('error', requestsText.columns.errorCode, ({ error_code }) => error_code ?? '–'),
  extra('dropped', requestsText.columns.droppedFields, ({ dropped }) => dropped.join(', ') || '–'),
  extra('id', requestsText.columns.id, ({ id }) => <code className="font-mono text-code">{id}</code>),
];

function extra(id: string, label: string, cell: TableColumn<RequestRow>['cell']): TableColumn<RequestRow> {
  return { id, label, cell, width: 'minmax(5rem, 10rem)', optional: true };
}

/** Shows the first metadata value and how many more there are. The tooltip lists all values in full. */
export function MetadataText({ row: { metadata } }: { readonly row: RequestRow }) {
  const pairs = Object.entries(metadata).map(([name, value]) => [name, formatMetadataValue(value)] as const);
  const [first, ...more] = pairs;
  if (!first) return null;
  const [name, value] = first;
  return (
    <span className="flex gap-1" title={pairs.map((pair) => pair.join(': ')).join('\n')}>
      <span className="min-w-0" data-filter-name={`metadata.${name}`}>
        <Badge name={name}>{value}</Badge>
      </span>
      {more.length > 0 && <span className="text-ink-3">+{more.length}</span>}
    </span>
  );
}
