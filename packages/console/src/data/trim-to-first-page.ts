import type { InfiniteData } from '@tanstack/react-query';

/** Returns the list with only its first page. The other pages load again when the user scrolls. Pure. */
export function trimToFirstPage<Page, Cursor>({
  pages,
  pageParams,
}: InfiniteData<Page, Cursor>): InfiniteData<Page, Cursor> {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}
