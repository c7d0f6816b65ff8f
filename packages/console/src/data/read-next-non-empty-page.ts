/** The fields of a page that `readNextNonEmptyPage` uses. */
interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/**
 * Reads the next page that has rows. A page of a list with filters can be empty and still have a cursor,
 * because the API checks the filters on a limited number of rows per page.
 */
export async function readNextNonEmptyPage<Read extends Page>(
  read: (cursor: string) => Promise<Read>,
  cursor: string,
): Promise<Read> {
  let page = await read(cursor);
  while (page.data.length === 0 && page.next_cursor !== null) page = await read(page.next_cursor);
  return page;
}
