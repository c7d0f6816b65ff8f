import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { showToast } from './toast.tsx';

/** Copies a text; says so in place for a moment, and to screen readers. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    copyText(text).then(
      () => setCopied(true),
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

/** The clipboard, also where the page came over plain http and browsers keep their own from it. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  // A dialog takes the focus back from whatever is outside of it, and the selection with it.
  const before = document.activeElement;
  (before?.closest('[role=dialog]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (!done) throw new Error('The browser could not copy the text. Select it and copy it manually.');
}

/** Copies a text and says so, or why not: where the place it is copied from is gone by then, as in a menu. */
export function copyWithToast(text: string, told: string): void {
  copyText(text).then(
    () => showToast(told),
    (error: unknown) => showToast(error instanceof Error ? error.message : 'Could not copy.'),
  );
}
