import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/feedback.tsx';

/** A fault of the console itself: the rest of it stays usable, and what happened can be copied. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  useEffect(() => {
    // A new release replaced the files this tab knows: one reload brings the new ones.
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

/** An address that leads nowhere. */
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
