import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/feedback.tsx';

/**
 * Renders the page that is shown after an error in the code of the console. The navigation stays usable. If the
 * error occurred because a new release has replaced the files of this tab, reloads the page once.
 */
export function ErrorPage({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  useEffect(() => {
    // A new release has replaced the files that this tab loads. Reloading once loads the new files.
    const stale = /dynamically imported module|Importing a module script failed|preload CSS/.test(message);
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
      An error occurred in the console. Changes that you already saved are not affected.
      <code className="mt-2 block font-mono text-code text-ink-3">{message}</code>
    </EmptyState>
  );
}
