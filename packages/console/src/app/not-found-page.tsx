import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/feedback.tsx';

/** Renders the page for a URL that matches no page. */
export function NotFoundPage() {
  return (
    <EmptyState
      title="Page not found"
      action={
        <Link to="/" className="text-accent-ink underlined">
          Go to home page
        </Link>
      }
    >
      The URL may be incomplete, or the page may not exist in this version of Floe.
    </EmptyState>
  );
}
