import { type ApiPage, getJson } from './api-client.ts';

const PAGE_ROWS = 500;

/**
 * Fetches all pages of a list. Use it for lists that the browser sorts or filters.
 * @throws ApiError if a request fails or a response has an error status
 */
export async function fetchAllRows<Row>(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: ApiPage<Row> = await getJson<ApiPage<Row>>(
      path,
      { ...query, limit: PAGE_ROWS, cursor },
      signal,
    );
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}
