import { Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { copyText } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { showToast } from './toast.tsx';

/**
 * A secret that is told this once: masked, to copy, and not lost by a slip. The dialog closes only after it was
 * copied or said to be kept; the value lives in the state of whoever shows it and goes with it.
 */
export function OneTimeSecret({
  title,
  secret,
  label,
  children,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  /** What is copied: `Copy key`. */
  readonly label: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  const [shown, setShown] = useState(false);
  const [copied, setCopied] = useState(false);
  const copy = () =>
    copyText(secret).then(
      () => setCopied(true),
      (error: unknown) => showToast(error instanceof Error ? error.message : 'Not copied'),
    );
  return (
    <Dialog
      open
      dismissible={false}
      onClose={onClose}
      title={title}
      description="It is shown this once. Keep it where secrets are kept; nobody can read it here again."
      actions={
        <>
          {!copied && <Button onClick={onClose}>I have saved it</Button>}
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
            label={shown ? 'Hide' : 'Reveal'}
            onClick={() => setShown(!shown)}
          />
        </div>
        <p role="status" className="min-h-4 text-small text-ink-2">
          {copied ? 'Copied.' : ''}
        </p>
        {children}
      </div>
    </Dialog>
  );
}

function masked(secret: string): string {
  return `${secret.slice(0, 8)}${'•'.repeat(24)}${secret.slice(-4)}`;
}
