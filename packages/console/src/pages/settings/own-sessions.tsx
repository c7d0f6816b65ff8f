import { useQuery } from '@tanstack/react-query';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Badge } from '../../ui/status.tsx';
import { TimeText } from '../../ui/time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { endSession, type OwnSession, ownSessionsQuery } from './settings-data.ts';

/** Where one is signed in, and the way out of each place. */
export function OwnSessions() {
  const { data, error, refetch } = useQuery(ownSessionsQuery);
  const end = useApiMutation((id: string | null) => endSession(id), {
    touches: [ownSessionsQuery.queryKey],
    done: (_, id) => showToast(id === null ? 'Signed out everywhere else' : 'Signed out there'),
  });
  const others = (data?.data.length ?? 0) > 1;
  return (
    <Card title="Sessions" aside={others ? <EndOthers onEnd={() => end.run(null)} /> : undefined}>
      {end.error && <p className="mb-2 text-small text-failing-ink">{end.error.message}</p>}
      {error ? (
        <ErrorState what="Could not load sessions." error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-16" />
      ) : (
        <ul className="divide-y divide-line">
          {data.data.map((row) => (
            <SessionRow key={row.id} row={row} onEnd={() => end.run(row.id)} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function EndOthers({ onEnd }: { readonly onEnd: () => void }) {
  return (
    <Button look="quiet" onClick={onEnd} className="-my-1 h-7!">
      Sign out everywhere else
    </Button>
  );
}

function SessionRow({ row, onEnd }: { readonly row: OwnSession; readonly onEnd: () => void }) {
  return (
    <li className="flex items-center gap-3 py-1.5 text-ui">
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{row.user_agent || 'Unknown browser'}</span>
          {row.current && <Badge>this one</Badge>}
        </span>
        <span className="text-small text-ink-2">
          {row.ip_address} · by {row.method} · seen <TimeText at={row.last_seen_at} />
        </span>
      </span>
      {!row.current && (
        <Button look="quiet" onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
