import type { HTMLAttributes } from 'react';

interface ScrollAreaProps extends HTMLAttributes<HTMLElement> {
  readonly as?: 'div' | 'main' | 'pre' | 'section';
}

/**
 * A scrollable area that can take focus. Without it, Safari does not scroll by keyboard an area with no
 * focusable content.
 */
export function ScrollArea({ as: Part = 'div', ...props }: ScrollAreaProps) {
  return <Part tabIndex={0} {...props} />;
}
