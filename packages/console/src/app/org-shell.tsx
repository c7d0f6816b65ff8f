import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { REASON_PROMPT, STEP_UP_PROMPT } from '../data/dialog-prompts.ts';
import { PermissionContactsProvider } from '../data/permission-contacts.tsx';
import {
  isSessionOfPage,
  type Session,
  type SignedInSession,
  SignedInSessionContext,
  sessionQuery,
} from '../data/session.ts';
import { useValueEffect } from '../data/use-value-effect.ts';
import { ErrorState, Skeleton } from '../ui/feedback.tsx';
import { lazyWithFailureNotice } from '../ui/lazy-with-failure-notice.tsx';
import { AppShellContext } from './app-shell-context.ts';
import { GlobalShortcuts } from './global-shortcuts.tsx';
import { Redirect } from './redirect.tsx';
import { useShortcutListener } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { useOrgId } from './url-state.ts';
import { useDialogPrompt } from './use-dialog-prompt.ts';

const Palette = lazyWithFailureNotice(() =>
  import('./command-palette.tsx').then(({ CommandPalette: Part }) => Part),
);
const ShortcutHelp = lazyWithFailureNotice(() =>
  import('./shortcut-help.tsx').then(({ ShortcutHelp: Part }) => Part),
);
const OtherOrg = lazyWithFailureNotice(() =>
  import('./org-mismatch.tsx').then(({ OrgMismatch: Part }) => Part),
);
const loadReason = () => import('./reason-dialog.tsx').then(({ ReasonDialog: Part }) => Part);
const Reason = lazyWithFailureNotice(loadReason, true);
const Banners = lazyWithFailureNotice(() =>
  import('./page-banners.tsx').then(({ PageBanners: Part }) => Part),
);
const SessionEnded = lazyWithFailureNotice(
  () => import('./session-ended-banner.tsx').then(({ SessionEndedBanner: Part }) => Part),
  true,
);
const SessionMoved = lazyWithFailureNotice(
  () => import('./session-moved-banner.tsx').then(({ SessionMovedBanner: Part }) => Part),
  true,
);
const loadStepUp = () => import('./step-up-dialog.tsx').then(({ StepUpDialog: Part }) => Part);
const StepUp = lazyWithFailureNotice(loadStepUp, true);

/**
 * Refetched once a minute, so that typing in a form without other requests also counts as use of the session. Refetched
 * when the user returns to this tab, because another person may have signed in in another tab.
 */
const shellSessionQuery = {
  ...sessionQuery,
  refetchInterval: 60_000,
  refetchOnWindowFocus: 'always',
} as const;

/**
 * Renders the layout around all pages of an organization. Renders no page if the user is not signed in to the
 * organization in the URL. If the session ends, the page stays until the redirect to the sign-in page, so that
 * a form with unsaved changes can prevent the redirect. If another tab switches the session to another organization,
 * the page stays with a banner, because a form can have unsaved changes. A page that is then opened in the other
 * organization, or by another user, is loaded again, because this tab holds the data of the previous one.
 */
export function OrgShell() {
  const { data: current, error, refetch } = useQuery(shellSessionQuery);
  const ended = current?.state === 'signed_out' ? current : null;
  const orgId = useOrgId();
  const session = useLastSignedInSession(current, orgId) ?? current;
  const { href } = useLocation();
  if (error && !session)
    return <ErrorState what="Could not load the console." error={error} onRetry={() => void refetch()} />;
  if (!session) return <Skeleton className="m-6 h-8 w-48" />;
  if (session.state === 'signed_out') return <Redirect to="/sign-in" search={{ next: href }} />;
  const toSignIn = <Redirect to="/sign-in" search={{ next: href, error: 'session_ended' }} />;
  if (session.org.id !== orgId || !isSessionOfPage(session))
    return ended ? (
      toSignIn
    ) : (
      <Suspense fallback={<Skeleton className="m-6 h-8 w-48" />}>
        <OtherOrg session={session} orgId={orgId} />
      </Suspense>
    );
  return (
    <SignedInSessionContext value={session}>
      <PermissionContactsProvider>
        <Shell ended={ended !== null} moved={current?.state === 'signed_in' && current.org.id !== orgId} />
        {ended && toSignIn}
      </PermissionContactsProvider>
    </SignedInSessionContext>
  );
}

/**
 * Returns the session. If it has ended or the same user has moved it to another organization, returns the most recent
 * session in the organization of the page, or null if there was none.
 */
function useLastSignedInSession(session: Session | undefined, orgId: string): SignedInSession | null {
  const [last, setLast] = useState<SignedInSession | null>(null);
  if (session?.state !== 'signed_in') return last;
  if (session.org.id !== orgId)
    return last?.org.id === orgId && last.user.id === session.user.id ? last : session;
  if (session !== last) setLast(session);
  return session;
}

function Shell({ ended, moved }: { readonly ended: boolean; readonly moved: boolean }) {
  const [menu, setMenu] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const stepUp = useDialogPrompt(STEP_UP_PROMPT, loadStepUp);
  const reason = useDialogPrompt(REASON_PROMPT, loadReason);
  const place = useLocation({ select: ({ pathname }) => pathname });
  useShortcutListener();
  useValueEffect(place, () => setMenu(false));
  return (
    <AppShellContext
      value={{
        openMenu: () => setMenu(true),
        openPalette: () => setPalette(true),
        openHelp: () => setHelp(true),
      }}
    >
      <a
        href="#content"
        className="sr-only z-60 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:rounded-control focus:bg-raised focus:p-2"
      >
        Skip to content
      </a>
      <GlobalShortcuts onPalette={() => setPalette(true)} onHelp={() => setHelp(true)} />
      <div className="flex h-full flex-col">
        <Suspense>
          {ended && <SessionEnded />}
          {moved && <SessionMoved />}
          <Banners />
        </Suspense>
        <div className="flex min-h-0 flex-1">
          <Sidebar open={menu} onClose={() => setMenu(false)} />
          <div id="content" tabIndex={-1} className="flex min-w-0 flex-1 outline-none">
            <Suspense fallback={<Skeleton className="m-6 h-8 w-48" />}>
              <Outlet />
            </Suspense>
          </div>
        </div>
      </div>
      <Suspense>
        {palette && <Palette onClose={() => setPalette(false)} />}
        {reason && <Reason prompt={reason} />}
        {stepUp && <StepUp onDone={(confirmed) => stepUp.answer(confirmed || null)} />}
        {help && <ShortcutHelp onClose={() => setHelp(false)} />}
      </Suspense>
    </AppShellContext>
  );
}
