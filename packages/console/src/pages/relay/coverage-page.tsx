import { useQuery } from '@tanstack/react-query';
import { Plug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { getJson } from '../../data/api-client.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { SegmentedControl, Tabs } from '../../ui/tabs.tsx';
import { ConnectAgentInstructions } from './connect-agent-instructions.tsx';
import { CoverageByPerson } from './coverage-by-person.tsx';
import { CoverageDrawer } from './coverage-drawer.tsx';
import { buildCoverageRowId } from './coverage-status.ts';
import { RELAY_API_PATH, type RelayCoverage } from './relay-data.ts';
import { RelaySessionList } from './relay-session-list.tsx';
import { relayText } from './text.ts';

const DAYS = [
  { id: '1', label: relayText.coverage.ranges.day },
  { id: '7', label: relayText.coverage.ranges.week },
  { id: '30', label: relayText.coverage.ranges.month },
] as const;
const DAY_MS = 24 * 3_600_000;

/** Shows who sends model requests with agents, and whether these agents call the relay. */
export function CoveragePage() {
  const { query, change } = useUrlState();
  const [connecting, setConnecting] = useState(false);
  const days = DAYS.find(({ id }) => id === query.get('days'))?.id ?? '7';
  const answer = useCoverage(days);
  const open = query.get('open');
  const opened = answer.data?.data.find((row) => buildCoverageRowId(row) === open);
  const connect = (
    <Button look="primary" icon={Plug} onClick={() => setConnecting(true)}>
      {relayText.coverage.connect}
    </Button>
  );
  return (
    <PageFrame
      title={relayText.coverage.title}
      padded={false}
      actions={
        <>
          <SegmentedControl
            label={relayText.coverage.range}
            options={DAYS}
            value={days}
            onChange={(id) => change({ days: id === '7' ? null : id }, 'replace')}
          />
          {connect}
        </>
      }
      beside={opened && <CoverageDrawer row={opened} onClose={() => change({ open: null })} />}
    >
      <p className="px-4 pb-3 text-ui text-ink-2 md:px-6">{relayText.coverage.intro}</p>
      <Tabs
        label={relayText.coverage.tabs}
        value={query.get('tab') ?? 'people'}
        onChange={(tab) => change({ tab: tab === 'people' ? null : tab, open: null }, 'replace')}
        tabs={[
          {
            id: 'people',
            label: relayText.coverage.people,
            content: (
              <People answer={answer} openId={open} onOpen={(id) => change({ open: id })} connect={connect} />
            ),
          },
          {
            id: 'sessions',
            label: relayText.coverage.sessions,
            content: <RelaySessionList days={Number(days)} />,
          },
          {
            id: 'versions',
            label: relayText.coverage.versions,
            content: answer.data ? <Versions clients={answer.data.clients} /> : <SkeletonRows rows={3} />,
          },
        ]}
      />
      <Dialog open={connecting} onClose={() => setConnecting(false)} title={relayText.coverage.connect}>
        <ConnectAgentInstructions />
      </Dialog>
    </PageFrame>
  );
}

function useCoverage(days: string) {
  return useQuery({
    queryKey: ['relay', 'coverage', days],
    queryFn: ({ signal }) => {
      const from = new Date(getCurrentTime().getTime() - Number(days) * DAY_MS).toISOString();
      return getJson<RelayCoverage>(`${RELAY_API_PATH}/coverage`, { from }, signal);
    },
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  });
}

function People({
  answer,
  openId,
  onOpen,
  connect,
}: {
  readonly answer: ReturnType<typeof useCoverage>;
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
  readonly connect: ReactNode;
}) {
  return answer.data ? (
    <CoverageByPerson
      rows={answer.data.data}
      openId={openId}
      onOpen={onOpen}
      empty={
        <EmptyState title={relayText.coverage.emptyTitle} action={connect}>
          {relayText.coverage.empty}
        </EmptyState>
      }
    />
  ) : answer.error ? (
    <ErrorState
      what={relayText.coverage.loadError}
      error={answer.error}
      onRetry={() => void answer.refetch()}
    />
  ) : (
    <SkeletonRows rows={5} />
  );
}

/** Lists the number of sessions by hook version and agent. */
function Versions({ clients }: { readonly clients: RelayCoverage['clients'] }) {
  if (clients.length === 0)
    return (
      <EmptyState title={relayText.coverage.noVersionsTitle}>{relayText.coverage.noVersions}</EmptyState>
    );
  const most = Math.max(...clients.map(({ sessions }) => sessions));
  return (
    <ul className="grid max-w-3xl gap-2">
      {clients.map(({ client_version, agent, sessions }) => (
        <li
          key={`${client_version} ${agent}`}
          className="grid grid-cols-[minmax(0,12rem)_1fr_max-content] items-center gap-3 text-ui"
        >
          <span className="truncate">
            {agent ?? relayText.coverage.unknownAgent}{' '}
            <span className="text-ink-3">{client_version ?? relayText.coverage.unknownVersion}</span>
          </span>
          <span aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
            <span
              className="block h-full rounded-full bg-series-1"
              style={{ width: `${(sessions / most) * 100}%` }}
            />
          </span>
          <span className="text-right figures">{formatCountWithNoun(sessions, 'session')}</span>
        </li>
      ))}
    </ul>
  );
}
