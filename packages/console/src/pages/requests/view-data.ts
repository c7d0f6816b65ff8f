import { queryOptions } from '@tanstack/react-query';
import { type ApiPage, getJson, type IdempotencyKeys, sendJson } from '../../data/api-client.ts';
import { deleteResource } from '../../data/delete-resource.ts';
import { type SavedView, selectViewParameters } from './saved-views.ts';

const PAGE = 'requests';

/** The query for the saved views of the request list. */
export const savedViewsQuery = queryOptions({
  queryKey: ['views', PAGE],
  queryFn: ({ signal }) =>
    getJson<ApiPage<SavedView>>('api/management/views', { page: PAGE, limit: 100 }, signal),
  staleTime: 60_000,
});

/** Saves URL parameters as a new view. */
export function createView(
  name: string,
  shared: boolean,
  filters: Readonly<Record<string, string>>,
  keys?: IdempotencyKeys,
): Promise<SavedView> {
  return sendJson('POST', 'api/management/views', { name, page: PAGE, shared, filters }, { keys });
}

/** Changes the name of a view or whether it is shared. */
export function updateView(
  id: string,
  change: Partial<Pick<SavedView, 'name' | 'shared'>>,
): Promise<SavedView> {
  return sendJson('PATCH', `api/management/views/${encodeURIComponent(id)}`, change);
}

/** Replaces the filters of a view with those in the URL. */
export function replaceViewFilters(id: string, query: URLSearchParams): Promise<SavedView> {
  return sendJson('PATCH', `api/management/views/${encodeURIComponent(id)}`, {
    filters: selectViewParameters(query),
  });
}

/** Deletes a view. */
export function deleteView(id: string): Promise<void> {
  return deleteResource(`api/management/views/${encodeURIComponent(id)}`);
}
