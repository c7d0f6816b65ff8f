import type { RequestRow } from '@floe/contract/api/analytics';
import { ArrowRight, Split } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { formatDuration, formatExactMoney, formatMoney, formatTokens } from '../../format/amounts.ts';
import { browserZone, formatClockTime } from '../../format/times.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { Badge, STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { isCharged, modelIdParts, outcomeOf, requestModels, unpricedModel } from './request-rows.ts';

/** The columns of the request list; `maxPauseMs` is the scale of the latency bars, `metadata` the keys that have a column. */
export function requestColumns(
  longestMs: number,
  metadata: readonly string[] = [],
): readonly TableColumn<RequestRow>[] {
  return [
    {
      id: 'time',
      label: 'Time',
      width: '6.5rem',
      cell: ({ created_at }) => (
        <time dateTime={created_at}>{formatClockTime(new Date(created_at), browserZone(), true)}</time>
      ),
    },
    { id: 'status', label: 'Status', width: 'minmax(7rem, 10rem)', cell: (row) => <OutcomeText row={row} /> },
    { id: 'model', label: 'Model', width: 'minmax(14rem, 1fr)', cell: (row) => <ModelText row={row} /> },
    { id: 'key', label: 'Key', width: 'minmax(4rem, 7rem)', cell: ({ key_name }) => key_name },
    { id: 'tokens', label: 'Tokens', width: '6rem', align: 'end', cell: (row) => <TokenText row={row} /> },
    { id: 'cost', label: 'Cost', width: '5rem', align: 'end', cell: (row) => <CostText row={row} /> },
    {
      id: 'first',
      label: 'First token',
      width: '4.5rem',
      align: 'end',
      cell: ({ first_token_ms }) => formatDuration(first_token_ms),
    },
    {
      id: 'latency',
      label: 'Latency',
      width: '8rem',
      align: 'end',
      cell: (row) => <LatencyText row={row} longestMs={longestMs} />,
    },
    {
      id: 'metadata',
      label: 'Metadata',
      width: 'minmax(4rem, 8rem)',
      cell: (row) => <MetadataText row={row} />,
    },
    ...OPTIONAL,
    ...metadata.map((name) =>
      extra(`metadata.${name}`, name, (row) => {
        const value = row.metadata[name];
        return value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
      }),
    ),
  ];
}

const OPTIONAL: readonly TableColumn<RequestRow>[] = [
  extra('surface', 'Surface', ({ surface }) => surface),
  extra('route_mode', 'Route mode', ({ route_mode }) => route_mode),
  extra('provider', 'Provider', ({ provider }) => provider ?? '–'),
  extra('cache', 'Cache', ({ cache }) => cache ?? '–'),
  extra('overhead', 'Gateway', ({ overhead_ms }) => formatDuration(overhead_ms)),
  extra('owner', 'Owner', ({ owner }) => owner ?? '–'),
  extra('team', 'Team', ({ team }) => team ?? '–'),
  extra('end_user', 'End user', ({ end_user }) => end_user ?? '–'),
  extra('client', 'Client', ({ client }) => client ?? '–'),
  extra('session', 'Session', ({ session }) => session ?? '–'),
  extra('error', 'Error code', ({ error_code }) => error_code ?? '–'),
  extra('dropped', 'Not carried', ({ dropped }) => dropped.join(', ') || '–'),
  extra('id', 'Request id', ({ id }) => <code className="font-mono text-code">{id}</code>),
];

function extra(id: string, label: string, cell: TableColumn<RequestRow>['cell']): TableColumn<RequestRow> {
  return { id, label, cell, width: 'minmax(5rem, 10rem)', optional: true };
}

/** Shape, status and reason. Only exceptions have colour: the many that went well stay quiet. */
function OutcomeText({ row }: { readonly row: RequestRow }) {
  const { state, status, reason } = outcomeOf(row);
  return (
    <span className="flex items-center gap-2" title={row.error_code ?? undefined}>
      <StatusIcon state={state} />
      <span
        className={
          state === 'healthy' ? 'text-ink-2' : joinClassNames('font-medium', STATUS_STYLES[state].ink)
        }
      >
        {status}
      </span>
      {reason && <span className="truncate text-ink-2">{reason}</span>}
      <AttemptsBadge tries={row.attempt_count} />
    </span>
  );
}

/** The model asked for, and with an arrow the one that served when it is another. */
function ModelText({ row }: { readonly row: RequestRow }) {
  const { asked, served } = requestModels(row);
  const { provider, name } = modelIdParts(asked);
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="relative flex min-w-0" title={asked}>
        {/* The two parts shorten apart and would be read apart. */}
        <span className="sr-only">{asked}</span>
        {provider && (
          <span aria-hidden className="min-w-6 shrink-[9999] truncate text-ink-3">
            {provider}
          </span>
        )}
        <span aria-hidden className="min-w-0 truncate">
          {name}
        </span>
      </span>
      {served && (
        <>
          <ArrowRight size={12} className="shrink-0 text-ink-3" aria-label="served by" role="img" />
          <span className="truncate text-ink-2">{modelIdParts(served).name}</span>
        </>
      )}
    </span>
  );
}

function TokenText({ row: { usage } }: { readonly row: RequestRow }) {
  if (usage.input_tokens === null && usage.output_tokens === null)
    return <span className="text-ink-3">–</span>;
  return (
    <span title={`${usage.input_tokens ?? '?'} in, ${usage.output_tokens ?? '?'} out (${usage.source})`}>
      {formatTokens(usage.input_tokens)} <span className="text-ink-3">→</span>{' '}
      {formatTokens(usage.output_tokens)}
    </span>
  );
}

/** Nothing was spent on what was refused; what has no price is unknown, not free, and leads to where one is given. */
function CostText({ row }: { readonly row: RequestRow }) {
  const { cost_nano_usd: cost } = row;
  if (cost === null) {
    const model = unpricedModel(row);
    if (model === null) return <span className="text-ink-3">{isCharged(row) ? 'unknown' : '–'}</span>;
    return (
      <OrgLink
        to="/management/models"
        search={{ search: model, open: model }}
        label={`Cost unknown: give ${model} a price`}
        className="text-ink-2 underlined"
      >
        unknown
      </OrgLink>
    );
  }
  const isIncomplete = row.cost_source === 'incomplete';
  const title = isIncomplete
    ? `${formatExactMoney(cost)}, incomplete: something has no price`
    : formatExactMoney(cost);
  return (
    <span title={title} className={cost === 0 ? 'text-ink-3' : ''}>
      {formatMoney(cost)}
      {isIncomplete && <span className="text-ink-3"> incomplete</span>}
    </span>
  );
}

/** First token, then streaming, on one scale for all rows in view. */
function LatencyText({ row, longestMs }: { readonly row: RequestRow; readonly longestMs: number }) {
  const { latency_ms, first_token_ms } = row;
  const share = (ms: number) => `${Math.min(100, Math.max(1.5, (ms / longestMs) * 100))}%`;
  const failed = outcomeOf(row).state === 'failing';
  return (
    <span className="flex items-center justify-end gap-3">
      <span aria-hidden="true" className="flex h-1.5 w-16 overflow-hidden">
        <span
          style={{ width: share(first_token_ms ?? latency_ms) }}
          className={joinClassNames('rounded-l-full', failed ? 'bg-failing' : 'bg-series-1')}
        />
        {first_token_ms !== null && (
          <span
            style={{ width: share(latency_ms - first_token_ms) }}
            className={joinClassNames('rounded-r-full', failed ? 'bg-failing' : 'bg-series-3')}
          />
        )}
      </span>
      <span className="w-14 shrink-0">{formatDuration(latency_ms)}</span>
    </span>
  );
}

function MetadataText({ row: { metadata } }: { readonly row: RequestRow }) {
  return (
    <span className="flex gap-1 overflow-hidden">
      {Object.entries(metadata)
        .slice(0, 2)
        .map(([name, value]) => (
          <span key={name} data-filter-name={`metadata.${name}`}>
            <Badge name={name}>{typeof value === 'string' ? value : JSON.stringify(value)}</Badge>
          </span>
        ))}
    </span>
  );
}

/** A row on a phone: what, when and who on the left, how long and how much on the right. */
export function RequestCard({ row }: { readonly row: RequestRow }) {
  const { state, reason } = outcomeOf(row);
  return (
    <div className="flex items-center gap-3 text-body">
      <StatusIcon state={state} />
      <div className="min-w-0 flex-1">
        <ModelText row={row} />
        <div className="truncate text-small text-ink-2 figures">
          {formatClockTime(new Date(row.created_at), browserZone())} · {row.key_name}
          {reason && ` · ${reason}`}
        </div>
      </div>
      <div className="text-right figures">
        <div>{formatDuration(row.latency_ms)}</div>
        <div className="text-small text-ink-2">
          <CostText row={row} />
        </div>
      </div>
    </div>
  );
}

/** How many tries it took, where it took more than one. */
function AttemptsBadge({ tries }: { readonly tries: number }) {
  if (tries < 2) return null;
  return (
    <Badge>
      <Split size={12} aria-label="attempts" role="img" /> {tries}
    </Badge>
  );
}
