import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { joinClassNames } from './class-names.ts';
import { POPUP_CLASS } from './menu.tsx';

/** Renders a small panel that opens next to its trigger. */
export function Popover({
  trigger,
  children,
  open,
  onOpenChange,
  align = 'end',
  label,
}: {
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly align?: 'start' | 'end';
  readonly label: string;
}) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={joinClassNames(POPUP_CLASS, 'p-3')}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
