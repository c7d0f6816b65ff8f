import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useOnChange } from '../data/on-change.ts';
import { joinClassNames } from './class-names.ts';
import { DRAWER_CLASS } from './drawer-placeholder.tsx';

/**
 * Beside a list, or over it where there is no room: what one row holds. Not modal: the list stays in use, and
 * `j` and `k` walk it. Escape closes; it takes the focus when another row is shown, and gives it back to the last one.
 */
export function Drawer({
  title,
  about,
  onClose,
  children,
}: {
  readonly title: string;
  /** What is shown; another one moves the focus here. */
  readonly about: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const place = useRef<HTMLElement>(null);
  const shown = useRef(about);
  useOnChange(about, () => {
    shown.current = about;
    place.current?.focus({ preventScroll: true });
  });
  useLayoutEffect(() => {
    const drawer = place.current;
    return () => {
      if (drawer?.contains(document.activeElement)) rowOf(shown.current)?.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (document.querySelector('[role=dialog],[role=menu]')) return;
      onClose();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [onClose]);
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label={title}
      className={joinClassNames(
        DRAWER_CLASS,
        'slide-in overflow-y-auto shadow-dialog outline-none xl:shadow-none',
      )}
    >
      {children}
    </section>
  );
}

/** The row in the list that a drawer is about, while it is in view. */
function rowOf(about: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-row="${CSS.escape(about)}"]`);
}
