import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { FloeLogo } from '../../app/floe-logo.tsx';
import { parseQueryString, resolvePathAfterSignIn } from '../../app/query-string.ts';
import { BASE_URL } from '../../data/base-url.ts';
import { discardPlaygroundKey, discardPlaygroundState } from '../../data/created-keys.ts';
import { type Session, type SignedOutSession, sessionQuery } from '../../data/session.ts';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AccountForm } from './account-form.tsx';
import { InvitationPage } from './invitation-page.tsx';
import { parseLinkToken, watchLinkTokens } from './link-token.ts';
import { buildSetupPreviewQuery } from './sign-in-data.ts';
import { SignInForm } from './sign-in-form.tsx';
import { signInText } from './text.ts';

/** Messages for `/sign-in?error=`: the codes of the identity provider, and `session_ended` from this console. */
const ERRORS: Readonly<Record<string, string>> = signInText.errors;

const showLinkError = (error: unknown) =>
  showToast(error instanceof Error ? error.message : signInText.page.unreadableLink);

/** Returns the token of the link that opened the page, or of a link that was opened in this tab later. */
function useLinkToken(): string | null {
  const [token, setToken] = useState(() => parseLinkToken(new URL(location.href)));
  useEffect(() => watchLinkTokens(window, setToken), []);
  return token;
}

/**
 * Renders the page on which the user signs in, creates the first account or accepts an invitation, depending on
 * the URL.
 */
export function SignInPage() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const invited = useLocation({ select: ({ pathname }) => pathname.endsWith('/invite') });
  const token = useLinkToken();
  // The error is read once, because the URL has already changed when the user leaves the page.
  const [reason] = useState(() => new URLSearchParams(location.search).get('error'));
  const [next] = useState(() => resolvePathAfterSignIn(new URLSearchParams(location.search).get('next')));
  const linkUsed = useRef(false);
  useEffect(() => {
    document.title = signInText.documentTitle;
    // The token works once, so it is also removed from the browser history.
    if (token !== null) history.replaceState(history.state, '', location.pathname);
  }, [token]);
  useEffect(() => {
    if (session?.state === 'signed_in' && !invited) {
      // A signed-in user cannot use the link but sees its status, unless they have just used it.
      if (token !== null && !linkUsed.current)
        void client.fetchQuery(buildSetupPreviewQuery(token)).catch(showLinkError);
      const [to = '/', query = ''] = next.split('?', 2);
      void navigate({ to, search: parseQueryString(query), replace: true });
    }
  }, [session, invited, next, navigate, token, client]);
  const entered = async () => {
    linkUsed.current = true;
    // The previous session may have expired. The next user must not use its playground key, nor see its prompts.
    discardPlaygroundKey();
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    const now = client.getQueryData(sessionQuery.queryKey);
    discardPlaygroundState(now?.state === 'signed_in' ? now.user.id : undefined);
    if (invited) void navigate({ to: '/', replace: true });
  };
  return (
    <main className="grid min-h-full place-items-center p-4">
      <div className="grid w-full max-w-90 gap-5">
        <div className="flex items-center gap-2.5">
          <FloeLogo size={32} />
          <span className="text-title font-semibold">{signInText.product}</span>
          <span className="ml-auto text-small text-ink-3">{BASE_URL.host}</span>
        </div>
        {error && !session ? (
          <ErrorState what={signInText.page.loadFailed} error={error} onRetry={() => void refetch()} />
        ) : !session ? (
          <Skeleton className="h-48" />
        ) : (
          <SignInOptions
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

function SignInOptions({
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
  /** The error code in the URL, or null without an error. */
  readonly reason: string | null;
  readonly onEntered: () => void;
}): ReactNode {
  if (invited && token) return <InvitationPage token={token} session={session} onEntered={onEntered} />;
  if (session.state === 'signed_in')
    return <p className="text-body text-ink-2">{signInText.page.signedIn}</p>;
  if (token) return <OwnerLink token={token} session={session} next={next} onEntered={onEntered} />;
  return (
    <>
      {session.setup && <Notice>{signInText.page.noAccount}</Notice>}
      {reason && <Notice>{ERRORS[reason] ?? signInText.errors.failed}</Notice>}
      <SignInForm methods={session.methods} next={next} onEntered={onEntered} />
    </>
  );
}

/**
 * Shows the account form of a link that creates an owner. If the link is not valid, shows the error and the
 * sign-in form.
 */
function OwnerLink({
  token,
  session,
  next,
  onEntered,
}: {
  readonly token: string;
  readonly session: SignedOutSession;
  readonly next: string;
  readonly onEntered: () => void;
}) {
  const { data: link, error } = useQuery(buildSetupPreviewQuery(token));
  if (link)
    return (
      <AccountForm
        kind={link.first ? 'first' : 'owner'}
        token={token}
        link={link}
        methods={session.methods}
        onEntered={onEntered}
      />
    );
  if (!error) return <Skeleton className="h-48" />;
  return (
    <>
      <Notice>{error.message}</Notice>
      <SignInForm methods={session.methods} next={next} onEntered={onEntered} />
    </>
  );
}
