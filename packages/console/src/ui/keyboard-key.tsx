import type { ReactNode } from 'react';
import { joinClassNames } from './class-names.ts';

/**
 * Shows a key of the keyboard. Screen readers skip it unless `spoken` is true, because the action next to it
 * already has a name.
 */
export function KeyboardKey({
  children,
  className,
  spoken = false,
}: {
  readonly children: ReactNode;
  readonly className?: string;
  readonly spoken?: boolean;
}) {
  return (
    <kbd
      aria-hidden={!spoken}
      className={joinClassNames(
        'rounded-tag border border-line bg-surface px-1 font-sans text-micro text-ink-3',
        className,
      )}
    >
      {children}
    </kbd>
  );
}
