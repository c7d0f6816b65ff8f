import { orgResource } from '@floe/contract/api/orgs';
import type { GetLoadedOrg } from '../loaded-org.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { requireOrg, toOrgResource } from './org-resource.ts';

/** Defines the operation that returns the caller's organization (`GET /api/management/org`). */
export function defineGetOrgOperation(getLoadedOrg: GetLoadedOrg): Operation {
  return defineReadOperation({
    name: 'org.get',
    method: 'GET',
    path: '/api/management/org',
    scope: 'management',
    summary: 'Read the organization',
    answer: orgResource,
    run: async ({ orgId, reader }) => toOrgResource(await requireOrg(reader, orgId), getLoadedOrg(orgId)),
  });
}
