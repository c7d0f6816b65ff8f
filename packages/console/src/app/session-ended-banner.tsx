import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '../data/session.ts';
import { StatusIcon } from '../ui/status.tsx';

/**
 * Renders a banner that is shown if the session has ended while a page has unsaved changes. When the user
 * returns from the tab in which they signed in, the session is refetched.
 */
export function SessionEndedBanner() {
  useQuery({ ...sessionQuery, staleTime: 0 });
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-failing-line bg-failing-tint px-4 py-1.5 text-ui text-ink"
    >
      <StatusIcon state="failing" />
      <p className="min-w-0 break-words">
        Your session has ended. To keep your unsaved changes, sign in in another tab, then return to this tab.
      </p>
      <Link to="/sign-in" target="_blank" className="text-accent-ink underline">
        Open sign-in page
      </Link>
    </div>
  );
}
