import { orgResource } from '@floe/contract/api/orgs';
import type { GetRunningOrg } from '../running-org.ts';
import { defineReadVerb, type Verb } from '../verb.ts';
import { requireOrg, toOrgResource } from './org-resource.ts';

/** The operation `GET /api/management/org`. */
export function defineGetOrgVerb(getRunningOrg: GetRunningOrg): Verb {
  return defineReadVerb({
    name: 'org.get',
    method: 'GET',
    path: '/api/management/org',
    scope: 'management',
    summary: 'Read the organization',
    answer: orgResource,
    run: async ({ orgId, reader }) => toOrgResource(await requireOrg(reader, orgId), getRunningOrg(orgId)),
  });
}
