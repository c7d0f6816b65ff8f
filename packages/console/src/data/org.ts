import type { OrgResource } from '@floe/contract/api/orgs';
import { queryOptions } from '@tanstack/react-query';
import { getWithETag } from './api-client.ts';

export const ORG_PATH = 'api/management/org';

/** The org that is shown: its name and its time zone. */
export const orgQuery = queryOptions({
  queryKey: ['org'],
  queryFn: ({ signal }) => getWithETag<OrgResource>(ORG_PATH, signal),
});
