import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { FloeMark } from '../../app/floe-mark.tsx';
import { nextPath, parseQueryString } from '../../app/query-text.ts';
import { BASE } from '../../data/base.ts';
import { discardPlaygroundKey } from '../../data/created-keys.ts';
import { type Session, type SignedOut, sessionQuery } from '../../data/session.ts';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Invitation } from './invitation.tsx';
import { linkToken, watchLinks } from './links.ts';
import { NewAccount } from './new-account.tsx';
import { ISSUER_ERRORS, setupQuery } from './sign-in-data.ts';
import { SignInForm } from './sign-in-form.tsx';

const tellWhy = (error: unknown) =>
  showToast(error instanceof Error ? error.message : 'This link cannot be read.');

/** The token of the link that led here, or of one opened here since. */
function useLinkToken(): string | null {
  const [token, setToken] = useState(() => linkToken(new URL(location.href)));
  useEffect(() => watchLinks(window, setToken), []);
  return token;
}

/** The door: signing in, the first account, an invitation. What the link brought decides which. */
export function SignInPage() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const invited = useLocation({ select: ({ pathname }) => pathname.endsWith('/invite') });
  const token = useLinkToken();
  // Fixed at arrival: on the way out the location is already another.
  const [reason] = useState(() => new URLSearchParams(location.search).get('error'));
  const [next] = useState(() => nextPath(new URLSearchParams(location.search).get('next')));
  const took = useRef(false);
  useEffect(() => {
    document.title = 'Sign in · Floe';
    // The token works once, but it need not stay in the history of the browser either.
    if (token !== null) history.replaceState(history.state, '', location.pathname);
  }, [token]);
  useEffect(() => {
    if (session?.state === 'signed_in' && !invited) {
      // Somebody signed in has no use for a link, but is told what became of it; not who just took it.
      if (token !== null && !took.current) void client.fetchQuery(setupQuery(token)).catch(tellWhy);
      const [to = '/', query = ''] = next.split('?', 2);
      void navigate({ to, search: parseQueryString(query), replace: true });
    }
  }, [session, invited, next, navigate, token, client]);
  const entered = async () => {
    took.current = true;
    // A session may have ended by itself: what it held is not that of who comes next.
    discardPlaygroundKey();
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    if (invited) void navigate({ to: '/', replace: true });
  };
  return (
    <main className="grid min-h-full place-items-center p-4">
      <div className="grid w-full max-w-90 gap-5">
        <div className="flex items-center gap-2.5">
          <FloeMark size={32} />
          <span className="text-title font-semibold">Floe</span>
          <span className="ml-auto text-small text-ink-3">{BASE.host}</span>
        </div>
        {error && !session ? (
          <ErrorState
            what="Floe cannot check your sign-in right now."
            error={error}
            onRetry={() => void refetch()}
          />
        ) : !session ? (
          <Skeleton className="h-48" />
        ) : (
          <Door
            session={session}
            token={token}
            invited={invited}
            next={next}
            reason={reason}
            onEntered={() => void entered()}
          />
        )}
      </div>
    </main>
  );
}

function Door({
  session,
  token,
  invited,
  next,
  reason,
  onEntered,
}: {
  readonly session: Session;
  readonly token: string | null;
  readonly invited: boolean;
  readonly next: string;
  /** Why an issuer led back here; null when none did. */
  readonly reason: string | null;
  readonly onEntered: () => void;
}): ReactNode {
  if (invited && token) return <Invitation token={token} session={session} onEntered={onEntered} />;
  if (session.state === 'signed_in') return <p className="text-body text-ink-2">You are signed in.</p>;
  if (token) return <OwnerDoor token={token} session={session} next={next} onEntered={onEntered} />;
  return (
    <>
      {session.setup && (
        <Notice>
          Nobody has an account yet. Open the sign-in link that the first start printed; it makes you the
          owner.
        </Notice>
      )}
      {reason && <Notice>{ISSUER_ERRORS[reason] ?? ISSUER_ERRORS['failed']}</Notice>}
      <SignInForm methods={session.methods} next={next} onEntered={onEntered} />
    </>
  );
}

/** Who came by the link that makes an owner; what became of it otherwise, and the usual way in. */
function OwnerDoor({
  token,
  session,
  next,
  onEntered,
}: {
  readonly token: string;
  readonly session: SignedOut;
  readonly next: string;
  readonly onEntered: () => void;
}) {
  const { data: link, error } = useQuery(setupQuery(token));
  if (link)
    return (
      <NewAccount kind={link.first ? 'first' : 'owner'} token={token} link={link} onEntered={onEntered} />
    );
  if (!error) return <Skeleton className="h-48" />;
  return (
    <>
      <Notice>{error.message}</Notice>
      <SignInForm methods={session.methods} next={next} onEntered={onEntered} />
    </>
  );
}
