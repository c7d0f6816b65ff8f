import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { Card } from '../../ui/cards.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { LONGEST_AUDIT_RANGE } from '../audit/audit-data.ts';
import { formatActorName, formatAuditEntryTitle } from '../audit/audit-entry.ts';
import { buildKeyHistoryQuery } from './key-data.ts';
import { keysText } from './text.ts';

/** Shows the newest audit log entries of the key. */
export function KeyHistory({ id }: { readonly id: string }) {
  const { data, error } = useQuery(buildKeyHistoryQuery(id));
  const all = (
    <OrgLink to="/management/audit" search={{ subject: id, range: LONGEST_AUDIT_RANGE }}>
      {keysText.history.all}
    </OrgLink>
  );
  return (
    <Card title={keysText.history.title} aside={all}>
      {error && !data ? (
        <p className="text-ui text-ink-2">{error.message}</p>
      ) : !data ? (
        <Skeleton className="h-16" />
      ) : data.data.length === 0 ? (
        <p className="text-ui text-ink-2">{keysText.history.none}</p>
      ) : (
        <ol className="grid gap-2 text-ui">
          {data.data.map((entry) => (
            <li key={entry.id} className="flex justify-between gap-3">
              <span className="min-w-0">
                {formatAuditEntryTitle(entry)}{' '}
                <span className="text-ink-2">{keysText.history.by(formatActorName(entry))}</span>
              </span>
              <span className="shrink-0 text-small text-ink-3">
                <RelativeTimeText at={entry.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
