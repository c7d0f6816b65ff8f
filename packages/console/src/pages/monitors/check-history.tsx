import type { CheckResource } from '@floe/contract/api/monitor-history';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useUrlState } from '../../app/url-state.ts';
import { useLoadMore } from '../../data/use-load-more.ts';
import { formatDuration } from '../../format/amounts.ts';
import {
  formatClockTime,
  formatFullDateTime,
  formatShortDate,
  getBrowserTimeZone,
} from '../../format/times.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { LoadMoreButton } from '../../ui/load-more-button.tsx';
import { ScrollArea } from '../../ui/scroll-area.tsx';
import { type DisplayStatus, STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { formatLateness, parseBeatMetadata, summarizeBeatMetadata } from './check-format.ts';
import { buildChecksExportUrl, buildChecksQuery } from './monitor-data.ts';
import { monitorDetailText } from './monitor-detail-text.ts';

const SHOWN = [
  { id: 'all', label: monitorDetailText.checks.all },
  { id: 'missed', label: monitorDetailText.checks.missed },
  { id: 'failed', label: monitorDetailText.checks.failed },
  { id: 'unknown', label: monitorDetailText.checks.unknown },
] as const;

const LOOKS: Readonly<
  Record<CheckResource['status'], { readonly state: DisplayStatus; readonly word: string }>
> = {
  ok: { state: 'healthy', word: monitorDetailText.checks.ok },
  missed: { state: 'failing', word: monitorDetailText.checks.missed },
  failed: { state: 'failing', word: monitorDetailText.checks.failed },
  unknown: { state: 'unknown', word: monitorDetailText.checks.unknown },
  started: { state: 'waiting', word: monitorDetailText.checks.started },
  logged: { state: 'partial', word: monitorDetailText.checks.logged },
};

/**
 * Lists beats and missed beats, newest first. The URL parameters `checks`, `from` and `to` filter the list.
 */
export function CheckHistory({ id }: { readonly id: string }) {
  const { query, change } = useUrlState();
  const chosen = query.get('checks') ?? 'all';
  const [from, to] = [query.get('from'), query.get('to')];
  const list = buildChecksQuery(id, { status: chosen === 'all' ? null : chosen, from, to });
  const answer = useInfiniteQuery(list);
  const { nextPage } = useLoadMore(list.queryKey, answer);
  const checks = answer.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <section className="min-w-0 overflow-hidden rounded-card border border-line bg-surface">
      <header className="flex flex-wrap items-center justify-between gap-2 px-4 py-2.5">
        <h2 className="text-body font-semibold">{monitorDetailText.checks.title}</h2>
        <div className="flex items-center gap-2">
          <SegmentedControl
            label={monitorDetailText.checks.filter}
            options={SHOWN}
            value={chosen}
            onChange={(next) => change({ checks: next === 'all' ? null : next }, 'replace')}
          />
          <a
            href={buildChecksExportUrl(id)}
            download
            aria-label={monitorDetailText.checks.download}
            title={monitorDetailText.checks.download}
            className="grid size-8 place-items-center rounded-control text-ink-2 hover:bg-hover pointer-coarse:size-11"
          >
            <Download size={16} strokeWidth={1.75} aria-hidden="true" />
          </a>
        </div>
      </header>
      <ShownTimeRange from={from} to={to} onAll={() => change({ from: null, to: null }, 'replace')} />
      {answer.error && checks.length === 0 ? (
        <ErrorState
          what={monitorDetailText.checks.loadError}
          error={answer.error}
          onRetry={() => void answer.refetch()}
        />
      ) : answer.isPending ? (
        <SkeletonRows rows={6} />
      ) : checks.length === 0 ? (
        <EmptyState
          title={
            chosen === 'all'
              ? monitorDetailText.checks.emptyTitle
              : monitorDetailText.checks.noMatchTitle(chosen)
          }
        >
          {chosen === 'all' ? monitorDetailText.checks.empty : monitorDetailText.checks.noMatch}
        </EmptyState>
      ) : (
        <CheckTable checks={checks} />
      )}
      <LoadMoreButton nextPage={nextPage} />
    </section>
  );
}

/** Shows the time range that filters the history. */
function ShownTimeRange({
  from,
  to,
  onAll,
}: {
  readonly from: string | null;
  readonly to: string | null;
  readonly onAll: () => void;
}) {
  if (from === null) return null;
  const time = (at: string) => formatFullDateTime(new Date(at), getBrowserTimeZone());
  return (
    <p className="flex flex-wrap items-center gap-x-3 px-4 pb-2 text-small text-ink-2">
      {to === null
        ? monitorDetailText.checks.from(time(from))
        : monitorDetailText.checks.fromTo(time(from), time(to))}
      <button type="button" onClick={onAll} className="min-h-6 text-accent-ink underline">
        {monitorDetailText.checks.showAll}
      </button>
    </p>
  );
}

const HEADS = [
  { label: monitorDetailText.checks.status },
  { label: monitorDetailText.checks.expected, wide: true },
  { label: monitorDetailText.checks.received },
  { label: monitorDetailText.checks.delay },
  { label: monitorDetailText.checks.duration, end: true },
  { label: monitorDetailText.checks.metadata, wide: true },
] as const;
const CELL = 'px-4 py-2 align-top';
/** Class names of columns that are hidden on a phone. */
const WIDE = `${CELL} max-md:hidden`;

function CheckTable({ checks }: { readonly checks: readonly CheckResource[] }) {
  return (
    <ScrollArea className="overflow-x-auto -outline-offset-2">
      <table className="w-full text-left text-ui figures">
        <caption className="sr-only">{monitorDetailText.checks.caption(getBrowserTimeZone())}</caption>
        <thead className="border-y border-line text-label text-ink-2">
          <tr>
            {HEADS.map((head) => (
              <th
                key={head.label}
                scope="col"
                className={joinClassNames(
                  'px-4 py-1.5 font-medium whitespace-nowrap',
                  'wide' in head && 'max-md:hidden',
                  'end' in head && 'text-right',
                )}
              >
                {head.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {checks.map((check) => (
            <CheckRow key={check.id} check={check} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function CheckRow({ check }: { readonly check: CheckResource }) {
  const { status, error, received_at, detected_at, duration_ms, missed_count } = check;
  const { state, word } = LOOKS[status];
  const quiet = status === 'ok';
  const head = (
    <th scope="row" className={`${CELL} font-normal whitespace-nowrap`}>
      <span
        className={`flex items-center gap-2 ${quiet ? 'text-ink-2' : `font-medium ${STATUS_STYLES[state].ink}`}`}
      >
        <StatusIcon state={state} />
        {word}
        {missed_count > 1 && <span className="font-normal text-ink-2">× {missed_count}</span>}
      </span>
    </th>
  );
  if (received_at === null)
    return (
      <tr>
        {head}
        <td className={`${WIDE} whitespace-nowrap`}>
          <CheckTime at={check.expected_at} />
        </td>
        <td className={CELL} colSpan={4}>
          <span
            title={error ?? undefined}
            className={status === 'unknown' ? 'text-ink-2' : STATUS_STYLES[state].ink}
          >
            {status === 'missed'
              ? monitorDetailText.checks.noBeat
              : (error ?? monitorDetailText.checks.notRunning)}
          </span>
          <span className="block text-small text-ink-2">
            {monitorDetailText.checks.recorded} <CheckTime at={detected_at} />
          </span>
        </td>
      </tr>
    );
  return (
    <tr>
      {head}
      <td className={`${WIDE} whitespace-nowrap`}>
        <CheckTime at={check.expected_at} />
      </td>
      <td className={`${CELL} whitespace-nowrap`}>
        <CheckTime at={received_at} />
        {error !== null && (
          <span className="block whitespace-normal text-failing-ink md:hidden">{error}</span>
        )}
      </td>
      <td className={`${CELL} whitespace-nowrap text-ink-2`}>{formatLateness(check)}</td>
      <td className={`${CELL} text-right whitespace-nowrap`}>{formatDuration(duration_ms)}</td>
      <td className={`${WIDE} max-w-56 text-ink-2`}>
        {error !== null && <span className="block text-failing-ink">{error}</span>}
        <Metadata value={parseBeatMetadata(check.metadata)} />
      </td>
    </tr>
  );
}

/** Shows a summary of the metadata that expands to all of it. */
function Metadata({ value }: { readonly value: CheckResource['metadata'] }) {
  const short = summarizeBeatMetadata(value);
  if (short === null) return <span className="text-ink-3">–</span>;
  return (
    <details>
      <summary className="cursor-pointer truncate">{short}</summary>
      <pre className="mt-1 overflow-x-auto font-mono text-code whitespace-pre-wrap text-ink">
        {JSON.stringify(value, null, 2)}
      </pre>
    </details>
  );
}

function CheckTime({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="text-ink-3">–</span>;
  const moment = new Date(at);
  const zone = getBrowserTimeZone();
  return (
    <time dateTime={at}>
      {formatShortDate(moment, zone, new Date())} {formatClockTime(moment, zone)}
    </time>
  );
}
