import { insertApproval } from '../../store/relay/approvals.ts';
import type { Expected } from './monitoring-routes.ts';
import { NOW, type RunningApi } from './running-api.ts';

const shell = { event: 'shell', shell: { command: 'ls' } };

/** The rows of the relay in the table of routes. */
export function relayExpected(): Record<string, Expected> {
  const scope = 'relay';
  const post = (path: string, body: object): Record<string, Expected> => ({
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
    'GET /relay/v1/approvals/{id}': {
      path: ({ key }) => `/relay/v1/approvals/${key}`,
      succeeds: 200,
      scope: ['relay', 'management'],
      anotherOrgs: 404,
    },
  };
}

/** What routes with an id find: a question of `acme` that waits. */
export async function seedRelay(api: RunningApi, id: string): Promise<void> {
  await api.database.transaction((writer) =>
    insertApproval(writer, {
      id,
      org_id: 'acme',
      created_at: NOW,
      expires_at: NOW + 600_000,
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
      what: 'ls',
      reason: '',
      decided_at: null,
      decided_by: null,
      note: null,
      used_at: null,
    }),
  );
}
