import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { send } from '../data/api-client.ts';
import { useChange } from '../data/change.ts';
import type { Action } from '../data/permissions.ts';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { useDraftDone } from './leave-guard.tsx';

/** Removes a resource after a question that says what it breaks. */
export function DeleteButton({
  path,
  title,
  verb,
  typed,
  needs = 'management',
  touches,
  onDone,
  children,
}: {
  readonly path: string;
  /** Verb and object: `Delete limit ci-tight?` */
  readonly title: string;
  readonly verb: string;
  /** A name to type first, where others depend on it. */
  readonly typed?: string;
  readonly needs?: Action;
  readonly touches: readonly (readonly unknown[])[];
  readonly onDone: () => void;
  readonly children: ReactNode;
}) {
  const [asked, setAsked] = useState(false);
  const forgetDraft = useDraftDone();
  const remove = useChange(() => send<null>('DELETE', path), {
    touches,
    done: () => {
      forgetDraft();
      onDone();
    },
  });
  return (
    <>
      <Button icon={Trash2} look="quiet" needs={needs} onClick={() => setAsked(true)} className="mr-auto">
        {verb}
      </Button>
      <ConfirmDialog
        open={asked}
        onClose={() => {
          setAsked(false);
          remove.reset();
        }}
        onConfirm={() => remove.run(undefined)}
        title={title}
        verb={verb}
        running={remove.running}
        error={remove.error}
        {...(typed === undefined ? {} : { typed })}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
