import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sendJson } from '../data/api-client.ts';
import { type SignedInSession, sessionQuery } from '../data/session.ts';
import { EmptyState, ErrorState, Skeleton } from '../ui/feedback.tsx';

/**
 * Shown if the organization in the URL is not the current one. If the user is a member of that organization,
 * switches to it. Otherwise, states that the user is not a member.
 */
export function OrgMismatch({
  session,
  orgId,
}: {
  readonly session: SignedInSession;
  readonly orgId: string;
}) {
  const client = useQueryClient();
  const mine = session.orgs.some(({ id }) => id === orgId);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    if (mine)
      // The page is loaded again, so that no change that began in the other organization continues in this one.
      switchToOrg(client, orgId)
        .then(() => location.reload())
        .catch((reason: unknown) => reason instanceof Error && setError(reason));
  }, [mine, orgId, client]);
  if (error) return <ErrorState what={`Could not switch to organization ${orgId}.`} error={error} />;
  if (mine) return <Skeleton className="m-6 h-8 w-48" />;
  return (
    <EmptyState
      title={`You are not a member of ${orgId}`}
      action={session.orgs.map(({ id, name }) => (
        <a key={id} href={`o/${id}/`} className="text-accent-ink underlined">
          {name}
        </a>
      ))}
    >
      Ask an owner or admin of the organization to invite you, or open one of your organizations.
    </EmptyState>
  );
}

/** Switches the session to another organization of the user and clears the data of the previous one. */
async function switchToOrg(client: QueryClient, orgId: string): Promise<void> {
  await sendJson('POST', 'api/session/org', { org_id: orgId });
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}
