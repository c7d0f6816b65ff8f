import type { Monitor } from '@floe/contract/api/monitors';
import type { InfiniteData } from '@tanstack/react-query';
import type { ApiPage } from '../../data/api-client.ts';

/** The loaded pages of a monitor list. */
export type LoadedMonitorPages = InfiniteData<ApiPage<Monitor>, string>;

/**
 * Joins the pages in the order of the server and removes duplicates. A monitor can be on two pages if it
 * moved while the pages were loading. Pure.
 */
export function mergeMonitorPages(pages: readonly ApiPage<Monitor>[]): readonly Monitor[] {
  const seen = new Set<string>();
  return pages.flatMap(({ data }) =>
    data.filter(({ id }) => {
      const isNew = !seen.has(id);
      seen.add(id);
      return isNew;
    }),
  );
}

/**
 * Replaces the rows of the list that are also in `fresh`. Removes rows whose id is in `asked` but not in `fresh`,
 * because these monitors no longer exist. Has no side effects.
 */
export function replaceMonitorRows(
  list: LoadedMonitorPages,
  asked: readonly string[],
  fresh: readonly Monitor[],
): LoadedMonitorPages {
  const byId = new Map(fresh.map((monitor) => [monitor.id, monitor]));
  const gone = new Set(asked.filter((id) => !byId.has(id)));
  const pages = list.pages.map((page) => ({
    ...page,
    data: page.data.filter(({ id }) => !gone.has(id)).map((row) => byId.get(row.id) ?? row),
  }));
  return { ...list, pages };
}

/**
 * Returns the IDs of the rows from one row to another, in either direction. If `from` is not in the list,
 * returns only `to`. Pure.
 */
export function listRowIdsBetween(
  rows: readonly Monitor[],
  from: string | null,
  to: string,
): readonly string[] {
  const [one, other] = [from, to].map((id) => rows.findIndex((row) => row.id === id));
  if (one === undefined || other === undefined || one < 0 || other < 0) return [to];
  return rows.slice(Math.min(one, other), Math.max(one, other) + 1).map(({ id }) => id);
}
