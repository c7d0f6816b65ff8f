import type { ErrorComponentProps } from '@tanstack/react-router';
import { useState } from 'react';
import { createUnreachableError } from '../data/api-error.ts';
import { useValueEffect } from '../data/use-value-effect.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/feedback.tsx';

/** A page that fails again within this many milliseconds after its automatic reload is not reloaded again. */
const RELOAD_INTERVAL_MS = 600_000;

/**
 * Renders the page that is shown after an error in the code of the console. The navigation stays usable. If the
 * error occurred because a new release has replaced the files of this tab, reloads the page once.
 */
export function ErrorPage({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  const [isUnreachable, setUnreachable] = useState(false);
  // While Floe does not respond, a reload would replace the console with the browser's error page.
  const reload = () =>
    void fetch(document.baseURI, { cache: 'no-store' }).then(
      ({ ok }) => (ok ? location.reload() : setUnreachable(true)),
      () => setUnreachable(true),
    );
  useValueEffect(message, () => {
    // A new release has replaced the files that this tab loads. Reloading once loads the new files.
    const stale = /dynamically imported module|Importing a module script failed|preload CSS/.test(message);
    if (!stale || Date.now() - Number(sessionStorage.getItem('floe.reloaded')) < RELOAD_INTERVAL_MS) return;
    sessionStorage.setItem('floe.reloaded', String(Date.now()));
    reload();
  });
  return (
    <EmptyState
      title="This page could not be displayed"
      action={
        <Button look="primary" onClick={reload}>
          Reload page
        </Button>
      }
    >
      {isUnreachable
        ? createUnreachableError().message
        : 'An error occurred in the console. Changes that you already saved are not affected.'}
      <code className="mt-2 block font-mono text-code text-ink-3">{message}</code>
    </EmptyState>
  );
}
