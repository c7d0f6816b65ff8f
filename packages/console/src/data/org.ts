import type { OrgResource } from '@floe/contract/api/orgs';
import { queryOptions } from '@tanstack/react-query';
import { getJsonWithETag } from './api-client.ts';

/** The API path of the current organization. */
export const ORG_API_PATH = 'api/management/org';

/** The query for the name and the time zone of the current organization. */
export const orgQuery = queryOptions({
  queryKey: ['org'],
  queryFn: ({ signal }) => getJsonWithETag<OrgResource>(ORG_API_PATH, signal),
});
