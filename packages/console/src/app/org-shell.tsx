import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { REASON_PROMPT, STEP_UP_PROMPT } from '../data/dialog-prompts.ts';
import { PermissionContactsProvider } from '../data/permission-contacts.tsx';
import { SignedInContext, sessionQuery } from '../data/session.ts';
import { useOnChange } from '../data/use-on-change.ts';
import { ErrorState, Skeleton } from '../ui/feedback.tsx';
import { GlobalShortcuts } from './global-shortcuts.tsx';
import { Redirect } from './redirect.tsx';
import { ShellContext } from './shell-context.ts';
import { useShortcutListener } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { useOrgId } from './url-state.ts';
import { useDialogPrompt } from './use-dialog-prompt.ts';

const Palette = lazy(() =>
  import('./command-palette.tsx').then(({ CommandPalette: Part }) => ({ default: Part })),
);
const ShortcutHelp = lazy(() =>
  import('./shortcut-help.tsx').then(({ ShortcutHelp: Part }) => ({ default: Part })),
);
const OtherOrg = lazy(() =>
  import('./org-not-found.tsx').then(({ OrgNotFound: Part }) => ({ default: Part })),
);
const Reason = lazy(() =>
  import('./reason-dialog.tsx').then(({ ReasonDialog: Part }) => ({ default: Part })),
);
const ConfigStrip = lazy(() =>
  import('./config-file-banner.tsx').then(({ ConfigFileBanner: Part }) => ({ default: Part })),
);
const StepUp = lazy(() =>
  import('./step-up-dialog.tsx').then(({ StepUpDialog: Part }) => ({ default: Part })),
);

/**
 * Renders the layout around all pages of an organization. Renders no page if the user is not signed in to
 * that organization.
 */
export function OrgShell() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const orgId = useOrgId();
  const { href } = useLocation();
  if (error && !session)
    return <ErrorState what="Could not load the console." error={error} onRetry={() => void refetch()} />;
  if (!session) return <Skeleton className="m-6 h-8 w-48" />;
  if (session.state === 'signed_out') return <Redirect to="/sign-in" search={{ next: href }} />;
  if (session.org.id !== orgId)
    return (
      <Suspense fallback={<Skeleton className="m-6 h-8 w-48" />}>
        <OtherOrg session={session} orgId={orgId} />
      </Suspense>
    );
  return (
    <SignedInContext value={session}>
      <PermissionContactsProvider>
        <Shell />
      </PermissionContactsProvider>
    </SignedInContext>
  );
}

function Shell() {
  const [menu, setMenu] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const stepUp = useDialogPrompt(STEP_UP_PROMPT);
  const reason = useDialogPrompt(REASON_PROMPT);
  const place = useLocation({ select: ({ pathname }) => pathname });
  useShortcutListener();
  useOnChange(place, () => setMenu(false));
  return (
    <ShellContext
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
          <ConfigStrip />
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
    </ShellContext>
  );
}
