import type { ReactNode } from 'react';
import { useApiMutation } from '../data/api-mutation.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

export interface ConfirmChangeProps {
  /** Verb and object: `Delete limit ci-tight?` */
  readonly title: string;
  readonly verb: string;
  /** A name to type first, where others depend on it. */
  readonly typed?: string | undefined;
  readonly touches: readonly (readonly unknown[])[];
  /** Told once it is made. */
  readonly onDone: () => void;
  /** What it breaks. */
  readonly children: ReactNode;
}

/** A change that cannot be taken back, made once it is confirmed. Drawn while it is asked about. */
export function ConfirmChange({
  make,
  onClose,
  typed,
  touches,
  onDone,
  ...said
}: ConfirmChangeProps & { readonly make: () => Promise<unknown>; readonly onClose: () => void }) {
  const change = useApiMutation(make, { touches, done: onDone });
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
