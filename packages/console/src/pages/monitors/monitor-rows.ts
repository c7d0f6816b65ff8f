import type { Monitor } from '@floe/contract/api/monitors';
import type { InfiniteData } from '@tanstack/react-query';
import type { ApiPage } from '../../data/api-client.ts';

export type MonitorPages = InfiniteData<ApiPage<Monitor>, string>;

/** Every row once, in the order of the server: while pages are read, one may move from a later to an earlier one. Pure. */
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
 * What was read anew takes the place of what is shown, where it stands; what was asked for and is not there any more
 * goes. Pure.
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

/** The list as it begins: the pages behind the first are read again when they are reached. Pure. */
export function trimToFirstPage(list: MonitorPages): MonitorPages {
  return { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };
}

/** Ids from one row to another, whichever stands higher; only the second where the first is not there. Pure. */
export function selectRowRange(rows: readonly Monitor[], from: string | null, to: string): readonly string[] {
  const [one, other] = [from, to].map((id) => rows.findIndex((row) => row.id === id));
  if (one === undefined || other === undefined || one < 0 || other < 0) return [to];
  return rows.slice(Math.min(one, other), Math.max(one, other) + 1).map(({ id }) => id);
}
