import { cloneElement, type HTMLAttributes, type ReactElement, type ReactNode, useState } from 'react';
import { type Pointed, TooltipBubble } from './tooltip-bubble.tsx';
import type { Side } from './tooltip-place.ts';

/**
 * Words for what has none on screen, or why a control is off. `keys` is the shortcut. Pages have hundreds of these and
 * show few: until `children` is pointed at or comes into focus by keyboard, it is drawn alone.
 */
export function Tooltip({
  text,
  keys,
  side = 'bottom',
  children,
}: {
  readonly text: ReactNode;
  readonly keys?: string | undefined;
  readonly side?: Side;
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>;
}) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const { onPointerEnter, onFocus } = children.props;
  return (
    <>
      {cloneElement(children, {
        onPointerEnter(event) {
          onPointerEnter?.(event);
          const { currentTarget: element, pointerType } = event;
          if (pointerType !== 'touch') setPointed((before) => before ?? { element, by: 'pointer' });
        },
        onFocus(event) {
          onFocus?.(event);
          const { currentTarget: element, target } = event;
          if (target.matches(':focus-visible')) setPointed({ element, by: 'keyboard' });
        },
      })}
      {pointed && (
        <TooltipBubble key={pointed.by} pointed={pointed} side={side} keys={keys} onClose={setPointed}>
          {text}
        </TooltipBubble>
      )}
    </>
  );
}
