import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useOnChange } from '../data/on-change.ts';
import { REASON, STEP_UP } from '../data/questions.ts';
import { SignedInContext, sessionQuery } from '../data/session.ts';
import { WhoCanHelp } from '../data/who-can-help.tsx';
import { ErrorState, Skeleton } from '../ui/feedback.tsx';
import { NavigationKeys } from './navigation-keys.tsx';
import { Redirect } from './redirect.tsx';
import { ShellContext } from './shell-context.ts';
import { useShortcutKeys } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { useOrgId } from './url-state.ts';
import { useQuestion } from './use-question.ts';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: Part }) => ({ default: Part })));
const ShortcutHelp = lazy(() =>
  import('./shortcut-help.tsx').then(({ ShortcutHelp: Part }) => ({ default: Part })),
);
const OtherOrg = lazy(() => import('./other-org.tsx').then(({ OtherOrg: Part }) => ({ default: Part })));
const Reason = lazy(() =>
  import('./reason-dialog.tsx').then(({ ReasonDialog: Part }) => ({ default: Part })),
);
const ConfigStrip = lazy(() =>
  import('./config-strip.tsx').then(({ ConfigStrip: Part }) => ({ default: Part })),
);
const StepUp = lazy(() =>
  import('./step-up-dialog.tsx').then(({ StepUpDialog: Part }) => ({ default: Part })),
);

/** What stands around every page of an org; draws nothing of it for who is not signed in to that org. */
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
      <WhoCanHelp>
        <Shell />
      </WhoCanHelp>
    </SignedInContext>
  );
}

function Shell() {
  const [menu, setMenu] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const stepUp = useQuestion(STEP_UP);
  const reason = useQuestion(REASON);
  const place = useLocation({ select: ({ pathname }) => pathname });
  useShortcutKeys();
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
        Skip to the content
      </a>
      <NavigationKeys onPalette={() => setPalette(true)} onHelp={() => setHelp(true)} />
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
        {reason && <Reason waiting={reason} />}
        {stepUp && <StepUp onDone={(confirmed) => stepUp.answer(confirmed || null)} />}
        {help && <ShortcutHelp onClose={() => setHelp(false)} />}
      </Suspense>
    </ShellContext>
  );
}
