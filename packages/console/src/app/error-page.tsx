import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/feedback.tsx';

/**
 * Renders the page for an error in the console itself. The navigation stays usable, and the details can be
 * copied.
 */
export function ErrorPage({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  useEffect(() => {
    // A new release has replaced the files that this tab loads. Reloading once loads the new files.
    const stale = /dynamically imported module|Importing a module script failed/.test(message);
    if (!stale || sessionStorage.getItem('floe.reloaded') === message) return;
    sessionStorage.setItem('floe.reloaded', message);
    location.reload();
  }, [message]);
  return (
    <EmptyState
      title="This page could not be displayed"
      action={
        <Button look="primary" onClick={() => location.reload()}>
          Reload page
        </Button>
      }
    >
      An error occurred in the console. Nothing on the server was changed.
      <code className="mt-2 block font-mono text-code text-ink-3">{message}</code>
    </EmptyState>
  );
}

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
