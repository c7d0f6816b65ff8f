import type { Monitor } from '@floe/contract/api/monitors';
import type { InfiniteData } from '@tanstack/react-query';
import type { ApiPage } from '../../data/api-client.ts';

export type MonitorPages = InfiniteData<ApiPage<Monitor>, string>;

/**
 * Joins pages in server order without duplicates. A monitor can move to an earlier page while pages load.
 * Pure.
 */
export function uniqueMonitors(pages: readonly ApiPage<Monitor>[]): readonly Monitor[] {
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
 * Replaces rows with their refetched versions in place. Removes rows that were requested but no longer exist.
 * Pure.
 */
export function replaceRows(
  list: MonitorPages,
  asked: readonly string[],
  fresh: readonly Monitor[],
): MonitorPages {
  const byId = new Map(fresh.map((monitor) => [monitor.id, monitor]));
  const gone = new Set(asked.filter((id) => !byId.has(id)));
  const pages = list.pages.map((page) => ({
    ...page,
    data: page.data.filter(({ id }) => !gone.has(id)).map((row) => byId.get(row.id) ?? row),
  }));
  return { ...list, pages };
}

/** Returns the list with only its first page. The other pages load again on scroll. Pure. */
export function trimToFirstPage(list: MonitorPages): MonitorPages {
  return { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };
}

/**
 * Returns the IDs from one row to another, in either direction. Returns only `to` if `from` is not in the
 * list. Pure.
 */
export function selectRowRange(rows: readonly Monitor[], from: string | null, to: string): readonly string[] {
  const [one, other] = [from, to].map((id) => rows.findIndex((row) => row.id === id));
  if (one === undefined || other === undefined || one < 0 || other < 0) return [to];
  return rows.slice(Math.min(one, other), Math.max(one, other) + 1).map(({ id }) => id);
}
