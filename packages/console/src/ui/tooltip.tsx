import { Tooltip as Radix } from 'radix-ui';
import { cloneElement, type HTMLAttributes, type ReactElement, type ReactNode, useState } from 'react';
import { Key } from './key.tsx';
import { type Pointed, TooltipTarget } from './tooltip-target.tsx';

interface Words {
  readonly text: ReactNode;
  readonly keys?: string | undefined;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
}

/**
 * Words for what has none on screen, or why a control is off. `keys` is the shortcut. Pages have hundreds of these and
 * show few: until `children` is pointed at or comes into focus by keyboard, it is drawn alone.
 */
export function Tooltip({
  children,
  ...words
}: Words & { readonly children: ReactElement<HTMLAttributes<HTMLElement>> }) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const { onPointerEnter, onFocus } = children.props;
  return (
    <>
      {cloneElement(children, {
        onPointerEnter(event) {
          onPointerEnter?.(event);
          const { currentTarget: element, nativeEvent: by, pointerType } = event;
          if (pointerType !== 'touch') setPointed((before) => before ?? { element, by });
        },
        onFocus(event) {
          onFocus?.(event);
          const { currentTarget: element, nativeEvent: by, target } = event;
          if (target.matches(':focus-visible')) setPointed((before) => before ?? { element, by });
        },
      })}
      {pointed && <Bubble pointed={pointed} {...words} />}
    </>
  );
}

function Bubble({ pointed, text, keys, side = 'bottom' }: Words & { readonly pointed: Pointed }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>
        <TooltipTarget pointed={pointed} />
      </Radix.Trigger>
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
