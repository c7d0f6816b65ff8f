import { useBlocker } from '@tanstack/react-router';
import { createContext, type ReactNode, type RefObject, useContext, useEffect } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** Search parameters that determine which form is on the page. Other parameters, such as filters, do not. */
const PLACES = ['guide', 'open', 'tab'] as const;

interface Place {
  readonly pathname: string;
  readonly search: object;
}

/**
 * The context with a ref of the enclosing form. If the value of the ref is true, the user can leave the form
 * without confirmation, for example because the resource was deleted.
 */
export const DraftDiscardedContext = createContext<RefObject<boolean> | null>(null);

/**
 * Returns a function that discards the draft of the enclosing form. The form can then be left without
 * confirmation.
 */
export function useDiscardDraft(): () => void {
  const done = useContext(DraftDiscardedContext);
  return () => {
    if (done) done.current = true;
  };
}

/**
 * Asks for confirmation when the user would lose unsaved changes by following a link, going back or closing the
 * tab. Also asks while the changes are being saved, because Floe can still reject them.
 */
export function UnsavedChangesGuard({
  active,
  done,
  saving,
}: {
  readonly active: boolean;
  /** If its value is true, the user can leave without confirmation. */
  readonly done?: RefObject<boolean> | undefined;
  readonly saving: boolean;
}) {
  return saving ? (
    <LeaveGuard active={active} done={done} title="Leave while saving?" verb="Leave page">
      Your changes are being saved. If you leave and Floe rejects them, they will be lost.
    </LeaveGuard>
  ) : (
    <LeaveGuard active={active} done={done} title="Discard unsaved changes?" verb="Discard changes">
      Your changes on this page will be lost if you leave without saving.
    </LeaveGuard>
  );
}

/**
 * Asks for confirmation before the user leaves the page while `active` is true. If `active` becomes false while
 * the question is shown, the navigation continues.
 */
export function LeaveGuard({
  active = true,
  done,
  title,
  verb,
  children,
}: {
  /** Whether there is something to lose. */
  readonly active?: boolean;
  /** If its value is true, the user can leave without confirmation. */
  readonly done?: RefObject<boolean> | undefined;
  readonly title: string;
  readonly verb: string;
  /** What is lost. */
  readonly children: ReactNode;
}) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => !done?.current && isElsewhere(current, next),
    enableBeforeUnload: () => !done?.current,
    disabled: !active,
    withResolver: true,
  });
  useEffect(() => {
    if (!active) proceed?.();
  }, [active, proceed]);
  return (
    <ConfirmDialog
      open={status === 'blocked'}
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
      title={title}
      verb={verb}
    >
      {children}
    </ConfirmDialog>
  );
}

function isElsewhere(current: Place, next: Place): boolean {
  if (current.pathname !== next.pathname) return true;
  return PLACES.some((name) => Reflect.get(current.search, name) !== Reflect.get(next.search, name));
}
