import { org } from '@floe/contract/api/orgs';
import type { RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb } from '../verb.ts';
import { existingOrg, orgView } from './org-answer.ts';

export function getOrg(orgs: RunningOrgs): Verb {
  return readVerb({
    name: 'org.get',
    method: 'GET',
    path: '/api/management/org',
    scope: 'management',
    summary: 'Read the organization',
    answer: org,
    run: async ({ orgId, reader }) => orgView(await existingOrg(reader, orgId), orgs(orgId)),
  });
}
