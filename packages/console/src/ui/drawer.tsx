import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useValueEffect } from '../data/use-value-effect.ts';
import { joinClassNames } from './class-names.ts';
import { DRAWER_CLASS } from './drawer-placeholder.tsx';

/**
 * Shows the details of one row next to its list. On narrow screens, the drawer covers the list. On other
 * screens, the list stays usable. Escape closes the drawer. When the drawer shows another row, the focus moves
 * to the drawer. When the drawer closes, the focus moves to the row that it showed last.
 */
export function Drawer({
  title,
  about,
  onClose,
  children,
}: {
  readonly title: string;
  /** Identifies the row that is shown. When it changes, focus moves to the drawer. */
  readonly about: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const place = useRef<HTMLElement>(null);
  const shown = useRef(about);
  useValueEffect(about, () => {
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

/** Returns the list row that the drawer shows, or null if it is not rendered. */
function rowOf(about: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-row="${CSS.escape(about)}"]`);
}
