import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '../data/session.ts';
import { ErrorBanner } from './error-banner.tsx';

/**
 * Renders a banner that is shown if the session has ended while a page has unsaved changes. When the user
 * returns from the tab in which they signed in, the session is refetched.
 */
export function SessionEndedBanner() {
  useQuery({ ...sessionQuery, staleTime: 0 });
  return (
    <ErrorBanner
      text={
        <>
          Your session has ended. To keep your unsaved changes, open the sign-in page in another tab, sign in,
          and return to this tab.
        </>
      }
    >
      <Link to="/sign-in" target="_blank" className="text-accent-ink underline">
        Open sign-in page
      </Link>
    </ErrorBanner>
  );
}
