import type { RequestRow } from '@floe/contract/api/analytics';
import { ArrowRight, Split } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { getCurrentTime } from '../../data/server-clock.ts';
import {
  formatCount,
  formatDuration,
  formatExactMoney,
  formatMoney,
  formatTokens,
} from '../../format/amounts.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { Badge, STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { buildMetadataColumn, MetadataText, OPTIONAL_REQUEST_COLUMNS } from './optional-request-columns.tsx';
import {
  findUnpricedModel,
  formatRequestTime,
  getOutcomeDisplay,
  getRequestModels,
  isCharged,
  splitModelIdForDisplay,
} from './request-rows.ts';
import { requestsText } from './text.ts';
import { TimingBar } from './timing-bar.tsx';

/**
 * Returns the columns of the request list, with one column for each metadata key in `metadata`. Latency bars
 * have their full length at `longestMs`.
 */
export function buildRequestColumns(
  longestMs: number,
  metadata: readonly string[] = [],
): readonly TableColumn<RequestRow>[] {
  return [
    ...LEADING_COLUMNS,
    MODEL_COLUMN,
    KEY_COLUMN,
    {
      id: 'tokens',
      label: requestsText.columns.tokens,
      width: '5.25rem',
      yields: 2,
      align: 'end',
      cell: (row) => <TokenText row={row} />,
    },
    {
      id: 'cost',
      label: requestsText.columns.cost,
      width: '4.25rem',
      align: 'end',
      cell: (row) => <CostText row={row} />,
    },
    {
      id: 'first',
      label: requestsText.columns.firstToken,
      width: '4.5rem',
      yields: 3,
      align: 'end',
      cell: ({ first_token_ms }) => formatDuration(first_token_ms),
    },
    {
      id: 'timing',
      label: requestsText.columns.timing,
      width: '4rem',
      yields: 5,
      cell: (row) => <TimingBar row={row} longestMs={longestMs} />,
    },
    {
      id: 'latency',
      label: requestsText.columns.latency,
      width: '4rem',
      align: 'end',
      cell: ({ latency_ms }) => formatDuration(latency_ms),
    },
    {
      id: 'metadata',
      label: requestsText.columns.metadata,
      width: 'minmax(6.5rem, 8rem)',
      yields: 4,
      cell: (row) => <MetadataText row={row} />,
    },
    ...OPTIONAL_REQUEST_COLUMNS,
    ...metadata.map(buildMetadataColumn),
  ];
}

const LEADING_COLUMNS: readonly TableColumn<RequestRow>[] = [
  {
    id: 'time',
    label: requestsText.columns.time,
    width: '6rem',
    cell: ({ created_at }) => {
      const [at, zone] = [new Date(created_at), getBrowserTimeZone()];
      return (
        <time dateTime={created_at} title={formatFullDateTime(at, zone, true)}>
          {formatRequestTime(at, zone, getCurrentTime(), true)}
        </time>
      );
    },
  },
  {
    id: 'status',
    label: requestsText.columns.status,
    width: '11.75rem',
    cell: (row) => <OutcomeText row={row} />,
  },
];

const KEY_COLUMN: TableColumn<RequestRow> = {
  id: 'key',
  label: requestsText.columns.key,
  width: 'minmax(4rem, 7rem)',
  yields: 1,
  cell: ({ key_name }) => key_name,
};

const MODEL_COLUMN: TableColumn<RequestRow> = {
  id: 'model',
  label: requestsText.columns.model,
  width: 'minmax(13.5rem, 1fr)',
  cell: (row) => <ModelText row={row} />,
};

/** Shows an icon, the status and the reason. Only unsuccessful requests have a color. */
function OutcomeText({ row }: { readonly row: RequestRow }) {
  const { state, status, reason } = getOutcomeDisplay(row);
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
    </span>
  );
}

/** Shows the requested model. If another model served the request, shows that model too. */
function ModelText({ row }: { readonly row: RequestRow }) {
  const { asked, served } = getRequestModels(row);
  const { provider, name } = splitModelIdForDisplay(asked);
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className="relative flex min-w-0" title={asked}>
        {/* The parts are truncated separately, so screen readers get the whole id. */}
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
          <ArrowRight
            size={12}
            className="shrink-0 text-ink-3"
            aria-label={requestsText.cells.servedBy}
            role="img"
          />
          <span className="truncate text-ink-2">{served}</span>
        </>
      )}
      <AttemptsBadge attempts={row.attempt_count} />
    </span>
  );
}

function TokenText({ row: { usage } }: { readonly row: RequestRow }) {
  if (usage.input_tokens === null && usage.output_tokens === null)
    return <span className="text-ink-3">–</span>;
  return (
    <span
      title={requestsText.cells.tokens(
        exactCount(usage.input_tokens),
        exactCount(usage.output_tokens),
        usage.source,
      )}
    >
      {formatTokens(usage.input_tokens)} <span className="text-ink-3">→</span>{' '}
      {formatTokens(usage.output_tokens)}
    </span>
  );
}

function exactCount(tokens: number | null): string {
  return tokens === null ? requestsText.cells.unknownCount : formatCount(tokens);
}

/**
 * Shows the cost. A rejected request has no cost. If the model has no price, the cost is unknown and links to
 * setting the price.
 */
function CostText({ row }: { readonly row: RequestRow }) {
  const { cost_nano_usd: cost } = row;
  if (cost === null) {
    const model = findUnpricedModel(row);
    if (model === null)
      return <span className="text-ink-3">{isCharged(row) ? requestsText.cells.unknownCost : '–'}</span>;
    return (
      <OrgLink
        to="/management/models"
        search={{ search: model, open: model }}
        label={requestsText.cells.setPrice(model)}
        className="text-ink-2 underlined"
      >
        {requestsText.cells.unknownCost}
      </OrgLink>
    );
  }
  const isIncomplete = row.cost_source === 'incomplete';
  const title = isIncomplete
    ? requestsText.cells.incompleteCost(formatExactMoney(cost))
    : formatExactMoney(cost);
  return (
    <span title={title} className={cost === 0 ? 'text-ink-3' : ''}>
      {formatMoney(cost)}
      {isIncomplete && <span className="text-ink-3"> {requestsText.cells.incomplete}</span>}
    </span>
  );
}

/**
 * Renders a request as a card, for phones: model, time and key on the left, latency and cost on the right.
 */
export function RequestCard({ row }: { readonly row: RequestRow }) {
  const { state, reason } = getOutcomeDisplay(row);
  return (
    <div className="flex items-center gap-3 text-body">
      <StatusIcon state={state} />
      <div className="min-w-0 flex-1">
        <ModelText row={row} />
        <div className="truncate text-small text-ink-2 figures">
          {formatRequestTime(new Date(row.created_at), getBrowserTimeZone(), getCurrentTime())} ·{' '}
          {row.key_name}
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

/** Shows the number of attempts if there was more than one. Short, so that the model IDs stay readable. */
function AttemptsBadge({ attempts }: { readonly attempts: number }) {
  if (attempts < 2) return null;
  return (
    <span className="shrink-0" title={requestsText.cells.attempts(attempts)}>
      <span className="sr-only">{requestsText.cells.attempts(attempts)}</span>
      <span aria-hidden>
        <Badge>
          <Split size={12} />
          {attempts}
        </Badge>
      </span>
    </span>
  );
}
