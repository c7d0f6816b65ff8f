import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';

/** What words are wanted for, and by which event. */
export interface Pointed {
  readonly element: HTMLElement;
  readonly by: PointerEvent | FocusEvent;
}

/** What the tooltip gives its trigger. */
interface Given {
  readonly ref?: Ref<HTMLElement>;
  readonly onPointerMove?: (event: PointerEvent) => void;
  readonly onPointerLeave?: (event: PointerEvent) => void;
  readonly onPointerDown?: (event: PointerEvent) => void;
  readonly onFocus?: (event: FocusEvent) => void;
  readonly onBlur?: (event: FocusEvent) => void;
  readonly onClick?: (event: MouseEvent) => void;
  readonly 'aria-describedby'?: string;
}

/** Stands for an element that is drawn elsewhere: what a trigger hears and is told, that element does. Draws nothing. */
export function TooltipTarget({ pointed, ref, ...given }: Given & { readonly pointed: Pointed }): null {
  const { element } = pointed;
  const { 'aria-describedby': words } = given;
  const heard = useRef<Event | null>(null);
  useImperativeHandle(ref, () => element, [element]);
  useEffect(() => {
    const { onPointerMove, onPointerLeave, onPointerDown, onFocus, onBlur, onClick } = given;
    const listening = new AbortController();
    const { signal } = listening;
    if (onPointerMove) element.addEventListener('pointermove', onPointerMove, { signal });
    if (onPointerLeave) element.addEventListener('pointerleave', onPointerLeave, { signal });
    if (onPointerDown) element.addEventListener('pointerdown', onPointerDown, { signal });
    if (onFocus) element.addEventListener('focusin', onFocus, { signal });
    if (onBlur) element.addEventListener('focusout', onBlur, { signal });
    if (onClick) element.addEventListener('click', onClick, { signal });
    return () => listening.abort();
  });
  useEffect(() => {
    // What brought it here had passed before anybody listened.
    const { by } = pointed;
    if (heard.current === by) return;
    heard.current = by;
    if (by instanceof FocusEvent && element.contains(document.activeElement)) given.onFocus?.(by);
    if (by instanceof PointerEvent && element.matches(':hover')) given.onPointerMove?.(by);
  });
  useEffect(() => {
    if (words === undefined) return;
    const own = element.getAttribute('aria-describedby');
    element.setAttribute('aria-describedby', own === null ? words : `${own} ${words}`);
    return () => {
      if (own === null) element.removeAttribute('aria-describedby');
      else element.setAttribute('aria-describedby', own);
    };
  }, [element, words]);
  return null;
}
