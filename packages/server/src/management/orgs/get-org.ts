import { orgResource } from '@floe/contract/api/orgs';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { GetRunningOrg } from '../running-org.ts';
import { requireOrg, toOrgResource } from './org-resource.ts';

/** Defines the operation that returns the caller's organization (`GET /api/management/org`). */
export function defineGetOrgOperation(getRunningOrg: GetRunningOrg): Operation {
  return defineReadOperation({
    name: 'org.get',
    method: 'GET',
    path: '/api/management/org',
    scope: 'management',
    summary: 'Read the organization',
    answer: orgResource,
    run: async ({ orgId, reader }) => toOrgResource(await requireOrg(reader, orgId), getRunningOrg(orgId)),
  });
}
