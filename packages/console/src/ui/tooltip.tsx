import { Tooltip as Radix } from 'radix-ui';
import type { FocusEvent, HTMLAttributes, ReactElement, ReactNode } from 'react';
import { KeyboardKey } from './keyboard-key.tsx';

/**
 * Provides the delay that all tooltips share. Must enclose all components with tooltips. After one tooltip has
 * been shown, the next one appears without a delay.
 */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <Radix.Provider delayDuration={400}>{children}</Radix.Provider>;
}

/**
 * Shows a tooltip for a control: its name if it has no visible text, or why it is disabled. `keys` is the
 * keyboard shortcut of the control.
 */
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
 * Shows tooltips only for keyboard focus. Focus from a click, a closed menu or an opened dialog must not show
 * a tooltip, because the first Escape would then close the tooltip instead. Radix ignores events whose
 * default was prevented.
 */
function keyboardOnly(event: FocusEvent<HTMLElement>): void {
  const { target, relatedTarget } = event;
  const dialog = target.closest('[role=dialog]');
  const isOpening = dialog !== null && !dialog.contains(relatedTarget);
  if (isOpening || !target.matches(':focus-visible')) event.preventDefault();
}
