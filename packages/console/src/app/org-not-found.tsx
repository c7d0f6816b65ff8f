import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type SignedIn, switchToOrg } from '../data/session.ts';
import { EmptyState, ErrorState, Skeleton } from '../ui/feedback.tsx';

/** A link into another org: entered when it is one of the person's own, else said. */
export function OrgNotFound({ session, orgId }: { readonly session: SignedIn; readonly orgId: string }) {
  const client = useQueryClient();
  const mine = session.orgs.some(({ id }) => id === orgId);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    if (mine)
      switchToOrg(client, orgId).catch((reason: unknown) => reason instanceof Error && setError(reason));
  }, [mine, orgId, client]);
  if (error) return <ErrorState what={`Could not enter ${orgId}.`} error={error} />;
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
      Ask one of its owners for an invitation, or go to an org of yours.
    </EmptyState>
  );
}
