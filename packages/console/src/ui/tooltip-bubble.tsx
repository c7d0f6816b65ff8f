import {
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { Key } from './key.tsx';
import { placeOf, type Side } from './tooltip-place.ts';

/** What words are wanted for, and how it was pointed at. */
export interface Pointed {
  readonly element: HTMLElement;
  readonly by: 'pointer' | 'keyboard';
}

/** A pointer that rests means it; one that only passes does not. */
const REST_MS = 400;
/** Who has just read one reads the next at once. */
const NEXT_MS = 300;
/** Long enough to go from what is pointed at to the words: they can be read and selected. */
const GRACE_MS = 150;
let closedAt = Number.NEGATIVE_INFINITY;

/** Words beside an element, until it is left, used or scrolled away, or Escape is pressed. */
export function TooltipBubble({
  pointed: { element, by },
  side,
  keys,
  onClose,
  children,
}: {
  readonly pointed: Pointed;
  readonly side: Side;
  readonly keys: string | undefined;
  readonly onClose: (none: null) => void;
  readonly children: ReactNode;
}) {
  const id = useId();
  const bubble = useRef<HTMLDivElement>(null);
  const [isShown, setShown] = useState(by === 'keyboard');
  const close = () => {
    if (isShown) closedAt = performance.now();
    onClose(null);
  };
  useEffect(() => {
    const isNext = performance.now() - closedAt < NEXT_MS;
    const rest = setTimeout(() => setShown(true), isNext ? 0 : REST_MS);
    return () => clearTimeout(rest);
  }, []);
  useLeaving({ element, by }, bubble, close);
  usePlace(element, bubble, { side, id, isShown });
  if (!isShown) return null;
  return createPortal(
    <div
      ref={bubble}
      id={id}
      role="tooltip"
      className="appear pointer-events-auto fixed top-0 left-0 z-50 w-max max-w-80 rounded-control border border-line-strong bg-raised px-2 py-1 text-small text-ink shadow-popover"
    >
      {children}
      {keys && <Key className="ml-2">{keys}</Key>}
    </div>,
    document.body,
  );
}

/** Calls `close` when the element and its words are left, or it is used, scrolled away or escaped from. */
function useLeaving(
  { element, by }: Pointed,
  bubble: RefObject<HTMLElement | null>,
  close: () => void,
): void {
  const onEnd = useEffectEvent(close);
  useEffect(() => {
    let leaving: ReturnType<typeof setTimeout> | undefined;
    const end = () => onEnd();
    const stop = new AbortController();
    const { signal } = stop;
    const options = { signal, capture: true };
    const move = ({ target }: PointerEvent) => {
      clearTimeout(leaving);
      const isInside =
        target instanceof Node && (element.contains(target) || bubble.current?.contains(target));
      if (!isInside) leaving = setTimeout(end, GRACE_MS);
    };
    if (by === 'pointer') {
      document.addEventListener('pointermove', move, options);
      document.documentElement.addEventListener('pointerleave', end, { signal });
      // It may have been left before anybody listened.
      if (!element.matches(':hover')) leaving = setTimeout(end);
    }
    element.addEventListener('pointerdown', end, options);
    element.addEventListener('click', end, options);
    element.addEventListener('focusout', end, options);
    window.addEventListener('keydown', ({ key }) => key === 'Escape' && end(), options);
    const scroll = ({ target }: Event) => target instanceof Node && target.contains(element) && end();
    window.addEventListener('scroll', scroll, options);
    return () => {
      clearTimeout(leaving);
      stop.abort();
    };
  }, [element, by, bubble]);
}

/** Puts the words beside the element, and says to screen readers that they describe it. */
function usePlace(
  element: HTMLElement,
  bubble: RefObject<HTMLElement | null>,
  { side, id, isShown }: { readonly side: Side; readonly id: string; readonly isShown: boolean },
): void {
  useLayoutEffect(() => {
    const { current } = bubble;
    if (!isShown || !current) return;
    const view = { width: window.innerWidth, height: window.innerHeight };
    const { left, top } = placeOf(
      element.getBoundingClientRect(),
      { width: current.offsetWidth, height: current.offsetHeight },
      side,
      view,
    );
    current.style.left = `${left}px`;
    current.style.top = `${top}px`;
    const own = element.getAttribute('aria-describedby');
    element.setAttribute('aria-describedby', own === null ? id : `${own} ${id}`);
    return () => {
      if (own === null) element.removeAttribute('aria-describedby');
      else element.setAttribute('aria-describedby', own);
    };
  }, [element, bubble, side, id, isShown]);
}
