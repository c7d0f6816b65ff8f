import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import type { Database } from '../../store/store-interfaces.ts';
import type { RunningApi } from './running-api.ts';

/**
 * The expected behavior of a route, in the table of all routes. `anotherOrgs` is the status for a
 * key of another organization that sends ids of this one.
 */
export interface RouteExpectation {
  readonly path: (ids: { readonly key: string }) => string;
  /** A body, or a function that creates it for a caller: a role, or the scope of a key. */
  readonly body?: unknown;
  readonly succeeds: 200 | 201 | 204;
  /** The required scope, or a list of scopes of which a key needs one. Null if every valid key is accepted. */
  readonly scope: KeyScope | readonly KeyScope[] | null;
  /** For a key, `read` does not suffice. */
  readonly isConfidential?: true;
  readonly anotherOrgs: 200 | 201 | 204 | 400 | 404 | 409;
  /**
   * Allowed roles, most privileged first. Absent: all roles may read, and the roles of `ROLES_WITH_WRITE` may
   * write.
   */
  readonly roles?: readonly MemberRole[];
  /** Members must be operators of the installation. */
  readonly operator?: true;
  /** Keys are not accepted. */
  readonly keys?: false;
  /** Members must have completed a step-up. */
  readonly stepUp?: true;
  /** It ends the key of the request. */
  readonly endsKey?: true;
}

/** The roles that may change the resources of a scope in a session. */
export const ROLES_WITH_WRITE: Readonly<Record<KeyScope, readonly MemberRole[]>> = {
  management: ['owner', 'admin'],
  relay: ['owner', 'admin'],
  monitoring: ['owner', 'admin', 'member'],
  beat: ['owner', 'admin', 'member'],
  gateway: ['owner', 'admin', 'member'],
  read: [],
};

const SUBJECTS = {
  monitors: { expected_interval_minutes: 5, paused: true },
  boards: { name: 'Board' },
  maintenance: { name: 'Window', starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-02T00:00:00Z' },
} as const;
type Subject = keyof typeof SUBJECTS;

const scope = ['monitoring', 'management'] as const;

/** Returns the expectations for the routes of monitors, boards and maintenance windows. */
export function createMonitoringRouteExpectations(): Record<string, RouteExpectation> {
  const on = '/api/monitoring/monitors';
  const at =
    (tail: string, subject: Subject = 'monitors'): RouteExpectation['path'] =>
    ({ key }) =>
      `/api/monitoring/${subject}/${key}${tail}`;
  const reads = { succeeds: 200, scope, anotherOrgs: 404 } as const;
  return {
    ...crud('monitors', { id: 'made', expected_interval_minutes: 5 }, 200),
    ...crud('boards', { slug: 'made' }, 409),
    ...crud('maintenance', { ...SUBJECTS.maintenance, id: 'made' }, 200),
    [`PATCH ${on}`]: {
      path: () => on,
      body: { ids: ['none'], paused: true },
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
    'POST /api/monitoring/deliveries/{id}/retry': {
      path: ({ key }) => `/api/monitoring/deliveries/${key}/retry`,
      succeeds: 204,
      scope,
      anotherOrgs: 404,
    },
    'GET /api/monitoring/gaps': {
      path: () => '/api/monitoring/gaps',
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
    [`GET ${on}/{id}/checks`]: { path: at('/checks'), ...reads },
    [`GET ${on}/{id}/checks/export`]: { path: at('/checks/export'), ...reads },
    [`GET ${on}/{id}/periods`]: { path: at('/periods'), ...reads },
    [`GET ${on}/{id}/uptime`]: { path: at('/uptime'), ...reads },
    [`POST ${on}/{id}/pause`]: { path: at('/pause'), ...reads },
    [`POST ${on}/{id}/resume`]: { path: at('/resume'), ...reads },
    [`POST ${on}/{id}/rotate`]: { path: at('/rotate'), ...reads },
    'GET /api/monitoring/boards/{id}/status': { path: at('/status', 'boards'), ...reads },
    'GET /api/monitoring/status': {
      path: ({ key }) => `/api/monitoring/status?monitors=${key}`,
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
    ...previews(),
  };
}

/** Previews, which all callers with read access may request. */
function previews(): Record<string, RouteExpectation> {
  const row = (path: string, body: object): Record<string, RouteExpectation> => ({
    [`POST ${path}`]: { path: () => path, body, succeeds: 200, scope, roles: MEMBER_ROLES, anotherOrgs: 200 },
  });
  return {
    ...row('/api/monitoring/boards/preview', { slug: 'draft' }),
    ...row('/api/monitoring/schedule/preview', { expected_interval_minutes: 5 }),
  };
}

/** @param put status for another org's `PUT`: ids are unique per org, slugs of boards in the installation */
function crud(subject: Subject, body: object, put: 200 | 409): Record<string, RouteExpectation> {
  const list = `/api/monitoring/${subject}`;
  const one: RouteExpectation['path'] = ({ key }) => `${list}/${key}`;
  return {
    [`GET ${list}`]: { path: () => list, succeeds: 200, scope, anotherOrgs: 200 },
    [`POST ${list}`]: { path: () => list, body, succeeds: 201, scope, anotherOrgs: 201 },
    [`GET ${list}/{id}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH ${list}/{id}`]: { path: one, body: { name: 'Other' }, succeeds: 200, scope, anotherOrgs: 404 },
    [`PUT ${list}/{id}`]: { path: one, body: SUBJECTS[subject], succeeds: 200, scope, anotherOrgs: put },
    [`DELETE ${list}/{id}`]: { path: one, succeeds: 204, scope, anotherOrgs: 404 },
  };
}

/**
 * Creates the resource that a monitoring route needs, with the id of a key. Removes all others of
 * its kind.
 */
export async function seedMonitoring(api: RunningApi, route: string, id: string): Promise<void> {
  const [, subject = ''] = /\/api\/monitoring\/(monitors|boards|maintenance)/.exec(route) ?? [];
  const { key } = await api.addKey('acme');
  if (route.includes('/deliveries/')) {
    const body = { name: `channel-${randomUUID()}`, kind: 'webhook', url: 'https://hooks.example/' };
    const channel = await api.call('POST', '/api/monitoring/channels', { key, body });
    assert.equal(channel.status, 201, channel.text);
    await seedDelivery(api.database, id, String(channel.body.id));
  }
  if (!isSubject(subject)) return;
  await clearMonitoring(api.database);
  const { status } = await api.call('PUT', `/api/monitoring/${subject}/${id}`, {
    key,
    body: SUBJECTS[subject],
  });
  assert.equal(status, 200);
}

/** Creates a message that waits for a retry. */
function seedDelivery(database: Database, id: string, channelId: string): Promise<void> {
  return database.transaction(async (writer) => {
    await writer.deleteFrom('alert_deliveries').execute();
    await writer
      .insertInto('alert_deliveries')
      .values({
        id,
        org_id: 'acme',
        alert_id: 'alt_1',
        alert_seq: 1,
        channel_id: channelId,
        channel_name: 'ops',
        repetition: 0,
        state: 'pending',
        pending_reason: null,
        created_at: 0,
        due_at: 4_000_000_000_000,
        attempts: 5,
        sent_at: null,
        status: 403,
        error: 'answered 403',
        grouped_into: null,
      })
      .execute();
  });
}

function isSubject(text: string): text is Subject {
  return Object.hasOwn(SUBJECTS, text);
}

function clearMonitoring(database: Database): Promise<void> {
  return database.transaction(async (writer) => {
    for (const table of ['monitors', 'monitor_clocks', 'boards', 'maintenance_windows'] as const)
      await writer.deleteFrom(table).execute();
  });
}
