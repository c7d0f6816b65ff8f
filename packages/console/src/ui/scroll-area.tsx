import type { HTMLAttributes } from 'react';

interface ScrollAreaProps extends HTMLAttributes<HTMLElement> {
  readonly as?: 'div' | 'main' | 'pre' | 'section';
}

/** What scrolls and may hold nothing to focus: it takes the focus itself, for Safari scrolls nothing else by key. */
export function ScrollArea({ as: Part = 'div', ...props }: ScrollAreaProps) {
  return <Part tabIndex={0} {...props} />;
}
