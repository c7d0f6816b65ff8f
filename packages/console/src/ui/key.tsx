import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

/** A key of the keyboard. */
export function Key({ children, className }: { readonly children: ReactNode; readonly className?: string }) {
  return (
    <kbd
      className={cx(
        'rounded-tag border border-line bg-surface px-1 font-sans text-micro text-ink-3',
        className,
      )}
    >
      {children}
    </kbd>
  );
}
