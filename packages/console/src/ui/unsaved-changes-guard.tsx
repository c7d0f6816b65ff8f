import { useBlocker } from '@tanstack/react-router';
import { createContext, type RefObject, useContext } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** What of an address decides which form is on the page; filters and ranges beside it do not. */
const PLACES = ['open', 'tab'] as const;

interface Place {
  readonly pathname: string;
  readonly search: object;
}

/** Set once a form's draft is of no use any more, as when its resource was deleted. */
export const DraftDiscardedContext = createContext<RefObject<boolean> | null>(null);

/** For what makes the draft of the form around it void, before it goes elsewhere. */
export function useDiscardDraft(): () => void {
  const done = useContext(DraftDiscardedContext);
  return () => {
    if (done) done.current = true;
  };
}

/** Asks before a draft is lost: on links, Back, and when the tab is closed. */
export function UnsavedChangesGuard({ done }: { readonly done: RefObject<boolean> }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => !done.current && isElsewhere(current, next),
    enableBeforeUnload: () => !done.current,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      open={status === 'blocked'}
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
      title="Leave without saving?"
      verb="Discard changes"
    >
      What you changed here is not saved yet.
    </ConfirmDialog>
  );
}

function isElsewhere(current: Place, next: Place): boolean {
  if (current.pathname !== next.pathname) return true;
  return PLACES.some((name) => Reflect.get(current.search, name) !== Reflect.get(next.search, name));
}
