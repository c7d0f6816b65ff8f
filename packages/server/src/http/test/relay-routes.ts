import { MEMBER_ROLES } from '@floe/contract/roles';
import { insertRelayApproval } from '../../store/relay/relay-approvals.ts';
import { upsertStoredRule } from '../../store/stored-rules.ts';
import type { RouteExpectation } from './monitoring-routes.ts';
import { API_TEST_NOW, type RunningApi } from './running-api.ts';

const shell = { event: 'shell', shell: { command: 'ls' } };

/** Returns the expectations for the relay routes. */
export function createRelayRouteExpectations(): Record<string, RouteExpectation> {
  const scope = 'relay';
  const post = (path: string, body: object): Record<string, RouteExpectation> => ({
    [`POST ${path}`]: {
      path: () => path.replace('{agent}', 'cursor'),
      body,
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
  });
  return {
    ...post('/relay/v1/decisions', shell),
    ...post('/relay/v1/decisions/batch', { events: [shell] }),
    ...post('/relay/v1/hooks/{agent}', { hook_event_name: 'beforeShellExecution', command: 'ls' }),
    ...post('/relay/v1/events', { events: [{ type: 'session_start' }] }),
    'GET /relay/v1/events': {
      path: () => '/relay/v1/events',
      succeeds: 200,
      scope: ['relay', 'management'],
      anotherOrgs: 200,
    },
    'GET /relay/v1/bundle': { path: () => '/relay/v1/bundle', succeeds: 200, scope, anotherOrgs: 200 },
    ...relayManagementExpectations(),
    // A key with the scope `relay` reads only its own approvals, which relay-management-api.test.ts tests.
    'GET /relay/v1/approvals/{id}': {
      path: ({ key }) => `/relay/v1/approvals/${key}`,
      succeeds: 200,
      scope: ['relay', 'management'],
      anotherOrgs: 404,
    },
  };
}

const RULE = { name: 'made', on: 'shell', match: { command: 'rm' }, decision: 'deny' };

function relayManagementExpectations(): Record<string, RouteExpectation> {
  const scope = 'management';
  const at = '/api/management/relay';
  const list = (name: string): Record<string, RouteExpectation> => ({
    [`GET ${at}/${name}`]: { path: () => `${at}/${name}`, succeeds: 200, scope, anotherOrgs: 200 },
  });
  const trial = (name: string, body: object, more = {}): Record<string, RouteExpectation> => ({
    [`POST ${at}/${name}`]: {
      path: () => `${at}/${name}`,
      body,
      succeeds: 200,
      scope,
      anotherOrgs: 200,
      ...more,
    },
  });
  const one: RouteExpectation['path'] = ({ key }) => `${at}/rules/${key}`;
  return {
    ...list('decisions'),
    ...list('sessions'),
    ...list('coverage'),
    ...list('approvals'),
    ...list('rules'),
    ...trial('simulate', { event: shell }, { roles: MEMBER_ROLES }),
    ...trial('replay', {}),
    [`GET ${at}/decisions/{id}`]: {
      path: ({ key }) => `${at}/decisions/${key}`,
      succeeds: 200,
      scope,
      anotherOrgs: 404,
    },
    [`POST ${at}/approvals/{id}`]: {
      path: ({ key }) => `${at}/approvals/${key}`,
      body: { decision: 'allow' },
      succeeds: 200,
      scope,
      anotherOrgs: 404,
    },
    [`POST ${at}/rules`]: { path: () => `${at}/rules`, body: RULE, succeeds: 201, scope, anotherOrgs: 201 },
    [`GET ${at}/rules/{id}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH ${at}/rules/{id}`]: {
      path: one,
      body: { decision: 'ask' },
      succeeds: 200,
      scope,
      anotherOrgs: 404,
    },
    // Ids are unique per org, so another org creates its own rule with the id.
    [`PUT ${at}/rules/{id}`]: { path: one, body: RULE, succeeds: 200, scope, anotherOrgs: 200 },
    [`DELETE ${at}/rules/{id}`]: { path: one, succeeds: 204, scope, anotherOrgs: 404 },
  };
}

/** Creates a pending approval, a decision and a rule of `acme`. */
export async function seedRelay(api: RunningApi, route: string, id: string): Promise<void> {
  await api.database.transaction(async (writer) => {
    await writer.deleteFrom('relay_approvals').execute();
    await writer.deleteFrom('relay_decisions').execute();
  });
  if (route.includes('/approvals')) await seedApproval(api, id);
  if (route.includes('/decisions/{id}')) await seedDecision(api, id);
  if (!route.includes('/rules')) return;
  const rule_json = JSON.stringify({ ...RULE, name: 'seed' });
  await api.database.transaction(async (writer) => {
    await writer.deleteFrom('relay_rules').execute();
    const times = { created_at: API_TEST_NOW, updated_at: API_TEST_NOW, updated_by: 'test' };
    await upsertStoredRule(writer, 'relay_rules', { id, org_id: 'acme', rule_json, ...times });
  });
}

async function seedDecision(api: RunningApi, id: string): Promise<void> {
  const nothing = {
    rule: null,
    mode: null,
    session_id: null,
    agent_version: null,
    client_version: null,
    team: null,
    owner: null,
    repository: null,
    cwd: null,
    reason: null,
    user_message: null,
    agent_message: null,
    event_json: null,
    approval_id: null,
  };
  await api.database.transaction((writer) =>
    writer
      .insertInto('relay_decisions')
      .values({
        ...nothing,
        id,
        org_id: 'acme',
        created_at: API_TEST_NOW,
        event: 'shell',
        decision: 'abstain',
        enforced_decision: 'abstain',
        input_summary: 'ls',
        agent: 'cursor',
        key_id: 'key_1',
        key_name: 'laptops',
        matches_json: '[]',
        findings_json: '[]',
        latency_us: 1,
      })
      .execute(),
  );
}

async function seedApproval(api: RunningApi, id: string): Promise<void> {
  await api.database.transaction((writer) =>
    insertRelayApproval(writer, {
      id,
      org_id: 'acme',
      created_at: API_TEST_NOW,
      expires_at: API_TEST_NOW + 600_000,
      state: 'waiting',
      scope: null,
      decision_id: 'dec_1',
      event: 'shell',
      rules_json: '["ask-first"]',
      input_hash: 'hash',
      session_id: null,
      agent: 'cursor',
      key_id: 'key_1',
      key_name: 'laptops',
      owner: null,
      repository: null,
      input_summary: 'ls',
      reason: '',
      decided_at: null,
      decided_by: null,
      note: null,
      used_at: null,
    }),
  );
}
