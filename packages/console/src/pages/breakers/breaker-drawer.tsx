import type { BreakerResource as Breaker, breakerHistoryEntry } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { OrgLink } from '../../app/org-link.tsx';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import { formatCount } from '../../format/amounts.ts';
import { formatBreakerName } from '../../format/breaker-name.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { DetailList } from '../../ui/cards.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHeader } from '../../ui/drawer-header.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { StatusBadge, StatusIcon } from '../../ui/status.tsx';
import {
  describeNextBreakerStep,
  getBreakerHistoryDisplay,
  getBreakerStateDisplay,
  getListedBreakerDisplay,
} from './breaker-state-display.ts';
import { BreakerTraffic } from './breaker-traffic.tsx';
import { ForceBreakerDialog } from './force-breaker-dialog.tsx';
import { breakersText } from './text.ts';

type BreakerChange = z.output<typeof breakerHistoryEntry>;

/** Shows a breaker: its state, its recent calls and its history. */
export function BreakerDrawer({
  id,
  breaker,
  isListComplete,
  onClose,
}: {
  readonly id: string;
  /** The breaker. Undefined if the loaded list does not contain it. */
  readonly breaker: Breaker | undefined;
  /** Whether the whole list is loaded. Breakers that are not in the whole list are closed. */
  readonly isListComplete: boolean;
  readonly onClose: () => void;
}) {
  const { state, word } = getListedBreakerDisplay(breaker, isListComplete);
  const [target = id] = id.split('@');
  return (
    <Drawer title={breakersText.drawer.title} about={id} onClose={onClose}>
      <DrawerHeader
        title={<span className="font-mono text-code">{formatBreakerName(id)}</span>}
        onClose={onClose}
      >
        <StatusBadge state={state}>{word}</StatusBadge>
      </DrawerHeader>
      <div className="grid gap-5 p-4 md:p-6">
        {breaker && <BreakerDetails breaker={breaker} />}
        <div className="flex flex-wrap items-center gap-3">
          <ForceBreakerDialog
            key={id}
            id={id}
            trigger={(ask) => (
              <Button needs="management" onClick={ask}>
                {breaker?.forced ? breakersText.drawer.changeForce : breakersText.drawer.force}
              </Button>
            )}
          />
          <OrgLink
            to="/requests"
            search={{ provider: target.split('/')[0] ?? '', range: '24h' }}
            className="text-ui text-accent-ink underlined"
          >
            {breakersText.drawer.requests}
          </OrgLink>
        </div>
        <BreakerTraffic id={id} provider={target.split('/')[0] ?? ''} />
        <History id={id} />
      </div>
    </Drawer>
  );
}

function BreakerDetails({ breaker }: { readonly breaker: Breaker }) {
  const { forced, reason, calls } = breaker;
  return (
    <DetailList
      items={[
        [breakersText.drawer.reason, forced ? forced.reason : reason || null],
        [breakersText.drawer.forcedBy, forced?.by || null],
        [
          breakersText.drawer.automaticState,
          forced && getBreakerStateDisplay({ ...breaker, forced: null }).word,
        ],
        [
          breakersText.drawer.until,
          forced && formatFullDateTime(new Date(forced.until), getBrowserTimeZone()),
        ],
        [breakersText.drawer.next, describeNextBreakerStep(breaker) || null],
        [
          breakersText.drawer.calls,
          breakersText.drawer.callCounts(
            formatCount(calls.ok),
            formatCount(calls.failed),
            formatCount(calls.slow),
          ),
        ],
      ]}
    />
  );
}

function History({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['breakers', 'history', id],
    queryFn: ({ signal }) =>
      getJson<ApiPage<BreakerChange>>(
        `api/management/breakers/${encodeURIComponent(id)}/history`,
        { limit: 50 },
        signal,
      ),
  });
  return (
    <section className="grid gap-2">
      <h3 className="text-ui font-semibold">{breakersText.drawer.history}</h3>
      {error && !data ? (
        <ErrorState what={breakersText.drawer.historyFailed} error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={3} />
      ) : data.data.length === 0 ? (
        <p className="text-ui text-ink-2">{breakersText.drawer.noHistory}</p>
      ) : (
        <ol className="grid gap-2">
          {data.data.map((change) => (
            <HistoryItem key={change.id} change={change} />
          ))}
        </ol>
      )}
    </section>
  );
}

function HistoryItem({ change }: { readonly change: BreakerChange }) {
  const { state, word } = getBreakerHistoryDisplay(change.state);
  return (
    <li className="grid grid-cols-[auto_6rem_1fr_auto] items-start gap-x-2.5 text-ui">
      <span className="mt-0.5">
        <StatusIcon state={state} />
      </span>
      <span className="font-medium">{word}</span>
      <span className="min-w-0 break-words text-ink-2">{change.reason}</span>
      <span className="text-small text-ink-3">
        <RelativeTimeText at={change.at} />
      </span>
    </li>
  );
}
