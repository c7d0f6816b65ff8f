import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { useOnChange } from '../../data/on-change.ts';
import { loadScrollPosition, type ScrollPosition, storeScrollPosition } from './scroll-position.ts';

/** After so long the page no longer moves by itself: charts above the rows have come. */
const SETTLED_MS = 6_000;
/** Another question is answered from the top; the router puts what scrolls where it was before, a moment later. */
const TOP: ScrollPosition = { row: '', offset: 0, index: 0 };
const TOP_MS = 1_000;
const INPUTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Brings a list back to where it stood, after a reload, Back and Forward, by the row that was first in view. */
export function useScrollPosition(list: {
  /** What is in the list; a drawer beside it changes nothing. */
  readonly key: string;
  readonly ids: readonly string[];
  readonly more: () => void;
  readonly hasMore: boolean;
}): void {
  const { key, ids } = list;
  const entry = useLocation({ select: ({ state }) => String(state.__TSR_key ?? state.key ?? 'first') });
  const wanted = useRef<ScrollPosition | null>(null);
  const shown = useRef<string | null>(null);
  if (shown.current !== key) {
    shown.current = key;
    wanted.current = loadScrollPosition(sessionStorage, entry) ?? TOP;
  }

  useStorePosition(wanted, entry);

  const restore = () => {
    const place = wanted.current;
    if (place === TOP) document.querySelector('[data-scroll]')?.scrollTo({ top: 0 });
    if (!place || place === TOP || list.ids.length === 0) return;
    const index = list.ids.indexOf(place.row);
    if (index !== -1) scrollToRow(index, place.offset);
    else if (list.hasMore && list.ids.length <= place.index + 500) list.more();
    else wanted.current = null;
  };
  const arrive = useEffectEvent(restore);
  useEffect(() => {
    if (ids.length > 0) arrive();
  }, [ids]);
  useHoldPosition(wanted, key, restore);
  useReleasePosition(wanted, key, ids.length > 0);
}

type Wanted = RefObject<ScrollPosition | null>;

/** Keeps the place while somebody scrolls, but for what is still on its way there. */
function useStorePosition(wanted: Wanted, entry: string): void {
  const keep = useEffectEvent(() => {
    if (wanted.current === null) storeScrollPosition(sessionStorage, entry, currentPosition());
  });
  useEffect(() => {
    const frame = document.querySelector('[data-scroll]');
    let due: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      due ??= setTimeout(() => {
        due = undefined;
        keep();
      }, 100);
    };
    frame?.addEventListener('scroll', soon, { passive: true });
    window.addEventListener('pagehide', keep);
    return () => {
      clearTimeout(due);
      frame?.removeEventListener('scroll', soon);
      window.removeEventListener('pagehide', keep);
    };
  }, []);
}

/** Stays at the place until somebody moves, for what stands above the rows comes later. */
function useHoldPosition(wanted: Wanted, key: string, restore: () => void): void {
  const again = useEffectEvent(restore);
  useOnChange(key, () => {
    const frame = document.querySelector('[data-scroll]');
    const stop = () => {
      wanted.current = null;
    };
    const observer = new ResizeObserver(() => again());
    for (const child of frame?.children ?? []) observer.observe(child);
    for (const input of INPUTS) document.addEventListener(input, stop, { passive: true, once: true });
    return () => {
      observer.disconnect();
      for (const input of INPUTS) document.removeEventListener(input, stop);
    };
  });
}

/** Ends that a while after the first rows have come, however long they took: before them there is no place to stay at. */
function useReleasePosition(wanted: Wanted, key: string, hasRows: boolean): void {
  useOnChange(hasRows ? key : null, (settling) => {
    if (settling === null) return;
    const stop = () => {
      wanted.current = null;
    };
    const timer = setTimeout(stop, wanted.current === TOP ? TOP_MS : SETTLED_MS);
    return () => clearTimeout(timer);
  });
}

function currentPosition(): ScrollPosition | null {
  const frame = document.querySelector('[data-scroll]');
  if (!frame || frame.scrollTop < 40) return null;
  const top = frame.getBoundingClientRect().top;
  const rows = [...frame.querySelectorAll<HTMLElement>('[data-row]')]
    .map((row) => ({ row, offset: row.getBoundingClientRect().top - top }))
    .filter(({ offset }) => offset >= 0)
    .sort((a, b) => a.offset - b.offset);
  const [first] = rows;
  const { row: id, index } = first?.row.dataset ?? {};
  return first && id ? { row: id, offset: first.offset, index: Number(index) } : null;
}

/** Rows are of one height, so that one out of view can be brought back too. */
function scrollToRow(index: number, offset: number): void {
  const frame = document.querySelector('[data-scroll]');
  const body = frame?.querySelector('[data-row]')?.parentElement;
  const height = body?.querySelector('[data-row]')?.getBoundingClientRect().height;
  if (!frame || !body || !height) return;
  const start = body.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop;
  frame.scrollTop = start + index * height - offset;
}
