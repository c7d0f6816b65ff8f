import { focusManager } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { sendJson } from '../data/api-client.ts';
import { discardPlaygroundState } from '../data/created-keys.ts';
import type { SignedInSession } from '../data/session.ts';
import { useValueEffect } from '../data/use-value-effect.ts';
import { EmptyState, ErrorState, Skeleton } from '../ui/feedback.tsx';

/**
 * Shown if the organization in the URL is not the current one, or if this tab holds the data of another user or
 * organization. If the user is a member of the organization in the URL, switches to it and loads the page again, so
 * that no data or pending change of the previous one remains. Otherwise, states that the user is not a member.
 */
export function OrgMismatch({
  session,
  orgId,
}: {
  readonly session: SignedInSession;
  readonly orgId: string;
}) {
  const mine = session.orgs.some(({ id }) => id === orgId);
  const [error, setError] = useState<Error | null>(null);
  // A hidden tab does not move the session, because a person, possibly another one, works in another tab.
  const isVisible = useSyncExternalStore(watchVisibility, () => focusManager.isFocused());
  useValueEffect(mine && error === null && isVisible, (isReady) => {
    if (isReady)
      switchToOrg(session, orgId).then(
        () => location.reload(),
        (reason: unknown) => reason instanceof Error && setError(reason),
      );
  });
  if (error)
    return (
      <ErrorState
        what={`Could not switch to organization ${orgId}.`}
        error={error}
        onRetry={() => setError(null)}
      />
    );
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

const watchVisibility = (changed: () => void) => focusManager.subscribe(changed);

async function switchToOrg({ user, org }: SignedInSession, orgId: string): Promise<void> {
  discardPlaygroundState(user.id);
  if (org.id !== orgId) await sendJson('POST', 'api/session/org', { org_id: orgId });
}
