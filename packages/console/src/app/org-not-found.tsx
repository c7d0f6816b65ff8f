import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type SignedInSession, switchToOrg } from '../data/session.ts';
import { EmptyState, ErrorState, Skeleton } from '../ui/feedback.tsx';

/**
 * Handles a link to another organization: switches to it if the user is a member, otherwise shows that they
 * are not.
 */
export function OrgNotFound({
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
      switchToOrg(client, orgId).catch((reason: unknown) => reason instanceof Error && setError(reason));
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
      Ask an owner of the organization to invite you, or open one of your organizations.
    </EmptyState>
  );
}
