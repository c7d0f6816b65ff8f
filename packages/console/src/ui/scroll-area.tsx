import type { HTMLAttributes } from 'react';

interface ScrollAreaProps extends HTMLAttributes<HTMLElement> {
  readonly as?: 'div' | 'main' | 'pre' | 'section';
}

/**
 * Renders a scrollable area that can receive focus. If an area has no focusable element, Safari can scroll it
 * with the keyboard only if the area itself has focus.
 */
export function ScrollArea({ as: Part = 'div', ...props }: ScrollAreaProps) {
  return <Part tabIndex={0} {...props} />;
}
