import { page, pageQuery } from '@floe/contract/api/page';
import { policy } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { filePage, type RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb } from '../verb.ts';

export function listPolicies(orgs: RunningOrgs): Verb {
  return readVerb({
    name: 'policies.list',
    method: 'GET',
    path: '/api/management/policies',
    scope: 'management',
    summary: 'List the rules on requests and answers, in the order in which they are judged',
    query: pageQuery,
    answer: page(policy),
    async run({ orgId }, { query }) {
      const { config, lineOf } = orgs(orgId);
      const all = (config?.policies ?? []).map((entry, index) => view(entry, lineOf('policies', index)));
      return filePage(all, ({ name }) => name, query);
    },
  });
}

function view({ name, on, when, detect, action, mode, message }: PolicyConfig, line: number | null) {
  return {
    name,
    on,
    when: when ?? null,
    detect: detect ? { secrets: detect.secrets, pii: [...detect.pii] } : null,
    action,
    mode,
    message: message ?? null,
    source: { kind: 'file' as const, line },
  };
}
