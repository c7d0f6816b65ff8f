import { Check, Copy } from 'lucide-react';
import { createContext, useContext, useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { showToast } from './toast.tsx';

/** Provides the callback that a copy button calls with the copied text. */
export const OnCopyContext = createContext<(text: string) => void>(() => undefined);

/** Renders a button that copies text and briefly confirms it, also to screen readers. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  const tell = useContext(OnCopyContext);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    copyText(text).then(
      () => {
        setCopied(true);
        tell(text);
      },
      (error: unknown) => showToast(error instanceof Error ? error.message : 'Could not copy.'),
    );
  };
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        label={copied ? 'Copied' : label}
        onClick={copy}
        className="size-6"
      />
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </>
  );
}

/**
 * Copies a text to the clipboard. Also works over plain HTTP, where browsers do not provide the clipboard
 * API.
 */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  // A dialog takes focus back from elements outside it, which would clear the selection.
  const before = document.activeElement;
  (before?.closest('[role=dialog]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (!done) throw new Error('The browser could not copy the text. Select it and copy it manually.');
}

/**
 * Copies a text and shows `message` in a toast. Use this function for controls that disappear after a click, such
 * as menu items, because they cannot show the message themselves.
 */
export function copyWithToast(text: string, message: string): void {
  copyText(text).then(
    () => showToast(message),
    (error: unknown) => showToast(error instanceof Error ? error.message : 'Could not copy.'),
  );
}
