import type { Org } from '@floe/contract/api/orgs';
import { queryOptions } from '@tanstack/react-query';
import { getTagged } from './api-client.ts';

export const ORG_PATH = 'api/management/org';

/** The org that is shown: its name and its time zone. */
export const orgQuery = queryOptions({
  queryKey: ['org'],
  queryFn: ({ signal }) => getTagged<Org>(ORG_PATH, signal),
});
