import type { HTMLAttributes } from 'react';

interface ScrollAreaProps extends HTMLAttributes<HTMLElement> {
  readonly as?: 'div' | 'main' | 'pre' | 'section';
}

/**
 * Renders a scrollable area that can take the focus. Otherwise, Safari cannot scroll an area by keyboard if
 * it contains nothing that can be focused.
 */
export function ScrollArea({ as: Part = 'div', ...props }: ScrollAreaProps) {
  return <Part tabIndex={0} {...props} />;
}
