import type { ReactNode } from 'react';
import { useApiMutation } from '../data/api-mutation.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** The props of a `ConfirmChangeDialog`. */
export interface ConfirmChangeDialogProps {
  /** A verb and an object, such as `Delete limit ci-tight?`. */
  readonly title: string;
  readonly verb: string;
  /** A name that the user must type to confirm, if other resources depend on this one. */
  readonly typed?: string | undefined;
  readonly touches: readonly (readonly unknown[])[];
  /** Called after the change succeeds. */
  readonly onDone: () => void;
  /** The consequences of the change. */
  readonly children: ReactNode;
}

/**
 * Asks for confirmation before an irreversible change, and sends the change when the user confirms. Render this
 * component only while the dialog is open.
 */
export function ConfirmChangeDialog({
  sendChange,
  onClose,
  typed,
  touches,
  onDone,
  ...said
}: ConfirmChangeDialogProps & { readonly sendChange: () => Promise<unknown>; readonly onClose: () => void }) {
  const change = useApiMutation(sendChange, { touches, done: onDone });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => change.run(undefined)}
      running={change.running}
      error={change.error}
      {...(typed === undefined ? {} : { typed })}
      {...said}
    />
  );
}
