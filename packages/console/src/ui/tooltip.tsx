import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Key } from './key.tsx';

/** Words for what has none on screen, or why a control is off. `keys` is the shortcut. */
export function Tooltip({
  text,
  keys,
  side = 'bottom',
  children,
}: {
  readonly text: ReactNode;
  readonly keys?: string | undefined;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 max-w-80 rounded-control border border-line-strong bg-raised px-2 py-1 text-small text-ink shadow-popover"
        >
          {text}
          {keys && <Key className="ml-2">{keys}</Key>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const TooltipProvider = Radix.Provider;
