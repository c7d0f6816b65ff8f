import { Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { copyText } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { showToast } from './toast.tsx';
import { LeaveGuard } from './unsaved-changes-guard.tsx';

/**
 * Shows a secret that cannot be shown again, masked and with a copy button. The dialog closes only after the
 * user has copied the secret or confirmed that it is stored. Until then, leaving the page asks for
 * confirmation. The secret exists only in the state of the parent component.
 */
export function OneTimeSecretDialog({
  title,
  secret,
  label,
  what,
  children,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  /** Label of the copy button, such as `Copy key`. */
  readonly label: string;
  readonly what: 'key' | 'link';
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  const [shown, setShown] = useState(false);
  const [copied, setCopied] = useState(false);
  const copy = () =>
    copyText(secret).then(
      () => setCopied(true),
      (error: unknown) => showToast(error instanceof Error ? error.message : 'Could not copy.'),
    );
  return (
    <Dialog
      open
      dismissible={false}
      onClose={onClose}
      title={title}
      description={`Copy this ${what} now and store it securely. It will not be shown again.`}
      actions={
        <>
          {!copied && <Button onClick={onClose}>I have saved this {what}</Button>}
          <Button look="primary" onClick={() => (copied ? onClose() : void copy())}>
            {copied ? 'Done' : label}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <div className="flex items-center gap-1 rounded-control border border-edge bg-sunken pl-3">
          <code className="min-w-0 flex-1 py-2 font-mono text-code break-all" data-secret>
            {shown ? secret : masked(secret)}
          </code>
          <IconButton
            icon={shown ? EyeOff : Eye}
            label={`${shown ? 'Hide' : 'Show'} ${what}`}
            onClick={() => setShown(!shown)}
          />
        </div>
        <p role="status" className="min-h-4 text-small text-ink-2">
          {copied ? 'Copied.' : ''}
        </p>
        {children}
      </div>
      {!copied && <UnsavedSecretGuard what={what} />}
    </Dialog>
  );
}

/** Asks for confirmation before the user leaves the page with a secret that is not saved. */
export function UnsavedSecretGuard({ what }: { readonly what: 'key' | 'link' }) {
  return (
    <LeaveGuard title={`Leave without saving the ${what}?`} verb="Leave page">
      This {what} will not be shown again. If you have not saved it, you will lose it.
    </LeaveGuard>
  );
}

function masked(secret: string): string {
  return `${secret.slice(0, 8)}${'•'.repeat(24)}${secret.slice(-4)}`;
}
