import type { HTMLAttributes } from 'react';

interface ScrollAreaProps extends HTMLAttributes<HTMLElement> {
  readonly as?: 'div' | 'main' | 'pre' | 'section';
}

/**
 * Renders a scrollable area that can receive the focus. Without the focus, Safari cannot scroll an area by
 * keyboard if it contains no focusable element.
 */
export function ScrollArea({ as: Part = 'div', ...props }: ScrollAreaProps) {
  return <Part tabIndex={0} {...props} />;
}
