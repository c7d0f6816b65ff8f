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
      title="This page broke"
      action={
        <Button look="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
      }
    >
      It is a fault of the console; nothing on the server was changed by it.
      <code className="mt-2 block font-mono text-code text-ink-3">{message}</code>
    </EmptyState>
  );
}

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <EmptyState
      title="There is no such page"
      action={
        <Link to="/" className="text-accent-ink underlined">
          Go to the start
        </Link>
      }
    >
      The address may be from another version, or cut off.
    </EmptyState>
  );
}
