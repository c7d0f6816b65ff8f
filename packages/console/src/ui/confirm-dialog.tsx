import { type ReactNode, useState } from 'react';
import type { ApiError } from '../data/api-error.ts';
import { Button } from './button.tsx';
import { Dialog, useKeepDialogOpen } from './dialog.tsx';
import { Field, Input } from './field.tsx';

/**
 * Asks for confirmation before an action. The title names the action and its object, and the body states the
 * consequences. The Cancel button has the initial focus. If `typed` is given, the user must type it to confirm.
 */
export function ConfirmDialog({
  open,
  onClose,
  onConfirm,
  title,
  verb,
  children,
  typed,
  running = false,
  error = null,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly title: string;
  readonly verb: string;
  readonly children: ReactNode;
  readonly typed?: string;
  readonly running?: boolean;
  readonly error?: ApiError | null;
}) {
  const [text, setText] = useState('');
  const close = () => {
    setText('');
    onClose();
  };
  const actions = (
    <>
      <Held busy={running} />
      <Button autoFocus onClick={close}>
        Cancel
      </Button>
      <Button
        look="danger"
        busy={running}
        disabled={typed !== undefined && text !== typed}
        onClick={onConfirm}
      >
        {verb}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onClose={close} title={title} description={children} actions={actions}>
      {typed !== undefined && (
        <Field label={`Type ${typed} to confirm`}>
          <Input value={text} onChange={({ target }) => setText(target.value)} autoComplete="off" />
        </Field>
      )}
      {error && (
        <p role="alert" className="mt-3 text-small text-failing-ink">
          {error.message}
        </p>
      )}
    </Dialog>
  );
}

function Held({ busy }: { readonly busy: boolean }) {
  useKeepDialogOpen(busy);
  return null;
}
