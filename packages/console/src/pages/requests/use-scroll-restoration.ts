import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { useValueEffect } from '../../data/use-value-effect.ts';
import { loadScrollPosition, type ScrollPosition, storeScrollPosition } from './scroll-position.ts';

/**
 * Time in milliseconds after which the position is no longer held, because the charts above the rows have
 * loaded.
 */
const SETTLED_MS = 6_000;
/**
 * The position for a list with different filters. The router also restores its own scroll position, slightly
 * later.
 */
const TOP: ScrollPosition = { row: '', offset: 0, index: 0 };
const TOP_MS = 1_000;
const INPUTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Restores the scroll position after a reload, or after the user goes back or forward. The position is relative
 * to the row that was the first visible row.
 */
export function useScrollRestoration(list: {
  /** Identifies the content of the list. A drawer next to the list does not change it. */
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

/** Stores the position while the user scrolls, except while a position is being restored. */
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

/** Holds the position until the user scrolls, because content above the rows loads later. */
function useHoldPosition(wanted: Wanted, key: string, restore: () => void): void {
  const again = useEffectEvent(restore);
  useValueEffect(key, () => {
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

/**
 * Stops holding the position some time after the first rows have loaded. Before that, there is no position to
 * hold.
 */
function useReleasePosition(wanted: Wanted, key: string, hasRows: boolean): void {
  useValueEffect(hasRows ? key : null, (settling) => {
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

/**
 * Scrolls to a row by its index. All rows have the same height, so this also works for rows that are not
 * rendered.
 */
function scrollToRow(index: number, offset: number): void {
  const frame = document.querySelector('[data-scroll]');
  const body = frame?.querySelector('[data-row]')?.parentElement;
  const height = body?.querySelector('[data-row]')?.getBoundingClientRect().height;
  if (!frame || !body || !height) return;
  const start = body.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop;
  frame.scrollTop = start + index * height - offset;
}
