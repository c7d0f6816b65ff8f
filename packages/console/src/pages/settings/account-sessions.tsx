import { useQuery } from '@tanstack/react-query';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { Badge } from '../../ui/status.tsx';
import { showToast } from '../../ui/toast.tsx';
import { describeBrowser } from './browser-name.ts';
import { endOtherSessions, endOwnSession, type OwnSession, ownSessionsQuery } from './settings-data.ts';
import { settingsText } from './text.ts';

/** Lists the sessions of the signed-in user. Each session can be signed out. */
export function AccountSessions() {
  const { data, error, refetch } = useQuery(ownSessionsQuery);
  const end = useApiMutation((id: string | null) => (id === null ? endOtherSessions() : endOwnSession(id)), {
    touches: [ownSessionsQuery.queryKey],
    done: (_, id) => showToast(id === null ? settingsText.sessions.othersEnded : settingsText.sessions.ended),
  });
  const others = (data?.data.length ?? 0) > 1;
  return (
    <Card
      title={settingsText.sessions.title}
      aside={others ? <EndOthers onEnd={() => end.run(null)} /> : undefined}
    >
      {end.error && <p className="mb-2 text-small text-failing-ink">{end.error.message}</p>}
      {error && !data ? (
        <ErrorState what={settingsText.sessions.loadFailed} error={error} onRetry={() => void refetch()} />
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
      {settingsText.sessions.endOthers}
    </Button>
  );
}

function SessionRow({ row, onEnd }: { readonly row: OwnSession; readonly onEnd: () => void }) {
  return (
    <li className="flex items-center gap-3 py-1.5 text-ui">
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium" title={row.user_agent}>
            {describeBrowser(row.user_agent) || settingsText.sessions.unknownBrowser}
          </span>
          {row.current && <Badge>{settingsText.sessions.current}</Badge>}
        </span>
        <span className="text-small text-ink-2">
          {settingsText.sessions.about(row.ip_address, settingsText.sessions.methods[row.method])}{' '}
          <RelativeTimeText at={row.last_seen_at} />
        </span>
      </span>
      {!row.current && (
        <Button look="quiet" onClick={onEnd}>
          {settingsText.sessions.end}
        </Button>
      )}
    </li>
  );
}
