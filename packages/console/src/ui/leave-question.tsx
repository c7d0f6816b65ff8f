import { useBlocker } from '@tanstack/react-router';
import type { Unsaved } from '../data/unsaved.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks once before what was typed is lost: by going to another page, to another row, or out of the console. */
export function LeaveQuestion({ unsaved }: { readonly unsaved: Unsaved }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      unsaved.isSo() &&
      (current.pathname !== next.pathname || opened(current.search) !== opened(next.search)),
    enableBeforeUnload: unsaved.isSo,
    withResolver: true,
  });
  return (
    <Dialog
      open={status === 'blocked'}
      onClose={() => reset?.()}
      title="Leave without saving?"
      description="What you changed here is not saved and would be lost."
      actions={
        <>
          <Button autoFocus onClick={() => reset?.()}>
            Stay
          </Button>
          <Button look="danger" onClick={() => proceed?.()}>
            Leave
          </Button>
        </>
      }
    />
  );
}

/** The row whose drawer is open. */
function opened(search: unknown): unknown {
  return typeof search === 'object' && search !== null ? Reflect.get(search, 'open') : undefined;
}
