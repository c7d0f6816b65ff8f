import { useBlocker } from '@tanstack/react-router';
import { createContext, type RefObject, useContext } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** Search parameters that determine which form is on the page. Other parameters, such as filters, do not. */
const PLACES = ['open', 'tab'] as const;

interface Place {
  readonly pathname: string;
  readonly search: object;
}

/**
 * A ref of the enclosing form. If its value is true, leaving the form does not ask for confirmation, for
 * example because the resource was deleted.
 */
export const DraftDiscardedContext = createContext<RefObject<boolean> | null>(null);

/** Returns a function after whose call the enclosing form can be left without confirmation. */
export function useDiscardDraft(): () => void {
  const done = useContext(DraftDiscardedContext);
  return () => {
    if (done) done.current = true;
  };
}

/**
 * Asks for confirmation before unsaved changes are lost, either by following a link, going back or closing
 * the tab.
 */
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
      title="Discard unsaved changes?"
      verb="Discard changes"
    >
      Your changes on this page are lost if you leave without saving.
    </ConfirmDialog>
  );
}

function isElsewhere(current: Place, next: Place): boolean {
  if (current.pathname !== next.pathname) return true;
  return PLACES.some((name) => Reflect.get(current.search, name) !== Reflect.get(next.search, name));
}
