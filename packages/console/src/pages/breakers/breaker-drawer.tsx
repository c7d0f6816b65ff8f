import type { BreakerResource as Breaker, breakerHistoryEntry } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { OrgLink } from '../../app/org-link.tsx';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import { formatCount } from '../../format/amounts.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { DetailList } from '../../ui/cards.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHead } from '../../ui/drawer-head.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { StatusBadge, StatusIcon } from '../../ui/status.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { historyState, nextOf, standingOf } from './breaker-state.ts';
import { BreakerTraffic } from './breaker-traffic.tsx';
import { ForceBreaker } from './force-breaker.tsx';

type BreakerChange = z.output<typeof breakerHistoryEntry>;

/** One breaker: how it stands, what its calls were, what it did before. */
export function BreakerDrawer({
  id,
  breaker,
  onClose,
}: {
  readonly id: string;
  /** Undefined for one that has nothing to say: it is closed. */
  readonly breaker: Breaker | undefined;
  readonly onClose: () => void;
}) {
  const { state, word } = breaker ? standingOf(breaker) : { state: 'healthy' as const, word: 'Closed' };
  const [target = id] = id.split('@');
  return (
    <Drawer title="Breaker" about={id} onClose={onClose}>
      <DrawerHead title={<span className="font-mono text-code">{id}</span>} onClose={onClose}>
        <StatusBadge state={state}>{word}</StatusBadge>
      </DrawerHead>
      <div className="grid gap-5 p-4 md:p-6">
        {breaker && <Standing breaker={breaker} />}
        <div className="flex flex-wrap items-center gap-3">
          <ForceBreaker
            key={id}
            id={id}
            trigger={(ask) => (
              <Button needs="management" onClick={ask}>
                {breaker?.forced ? 'Change the force' : 'Force'}
              </Button>
            )}
          />
          <OrgLink
            to="/requests"
            search={{ provider: target.split('/')[0] ?? '', range: '24h' }}
            className="text-ui text-accent-ink underlined"
          >
            Requests to this provider
          </OrgLink>
        </div>
        <BreakerTraffic id={id} provider={target.split('/')[0] ?? ''} />
        <History id={id} />
      </div>
    </Drawer>
  );
}

function Standing({ breaker }: { readonly breaker: Breaker }) {
  const { forced, because, calls } = breaker;
  return (
    <DetailList
      items={[
        ['Why', forced ? forced.reason : because || null],
        ['Forced by', forced?.by || null],
        [
          'Until',
          forced && `${formatFullTime(new Date(forced.until), browserZone())}, then it is its own again`,
        ],
        ['Next', nextOf(breaker) || null],
        [
          'Calls in 30 s',
          `${formatCount(calls.ok)} well, ${formatCount(calls.failed)} failed, ${formatCount(calls.slow)} slow`,
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
      <h3 className="text-ui font-semibold">What it did</h3>
      {error && !data ? (
        <ErrorState what="Could not load its history." error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={3} />
      ) : data.data.length === 0 ? (
        <p className="text-ui text-ink-2">No change of its own was written down yet.</p>
      ) : (
        <ol className="grid gap-2">
          {data.data.map((change) => (
            <HistoryLine key={change.id} change={change} />
          ))}
        </ol>
      )}
    </section>
  );
}

function HistoryLine({ change }: { readonly change: BreakerChange }) {
  const { state, word } = historyState(change.state);
  return (
    <li className="grid grid-cols-[auto_6rem_1fr_auto] items-start gap-x-2.5 text-ui">
      <span className="mt-0.5">
        <StatusIcon state={state} />
      </span>
      <span className="font-medium">{word}</span>
      <span className="min-w-0 break-words text-ink-2">{change.because}</span>
      <span className="text-small text-ink-3">
        <TimeText at={change.at} />
      </span>
    </li>
  );
}
