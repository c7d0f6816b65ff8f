import { Tooltip as Radix } from 'radix-ui';
import type { FocusEvent, HTMLAttributes, ReactElement, ReactNode } from 'react';
import { KeyboardKey } from './keyboard-key.tsx';

/** Around everything that has tooltips: who has just read one reads the next at once. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <Radix.Provider delayDuration={400}>{children}</Radix.Provider>;
}

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
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild onFocus={keyboardOnly}>
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 w-max max-w-80 rounded-control border border-line-strong bg-raised px-2 py-1 text-small text-ink shadow-popover"
        >
          {text}
          {keys && <KeyboardKey className="ml-2">{keys}</KeyboardKey>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * Focus that a click or a closed menu left behind asks for no words, nor does that of a dialog which opens: its first
 * Escape would take away the words instead. Radix leaves alone what was prevented.
 */
function keyboardOnly(event: FocusEvent<HTMLElement>): void {
  const { target, relatedTarget } = event;
  const dialog = target.closest('[role=dialog]');
  const isOpening = dialog !== null && !dialog.contains(relatedTarget);
  if (isOpening || !target.matches(':focus-visible')) event.preventDefault();
}
