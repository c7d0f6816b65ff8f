import { MEMBER_ROLES } from '@floe/contract/roles';
import type { RouteExpectation } from './monitoring-routes.ts';
import { API_TEST_NOW, type RunningApi } from './running-api.ts';

const scope = 'management';

/**
 * Returns the expectations for the routes of analytics, the overview, saved views and background
 * jobs.
 */
export function createAnalyticsRouteExpectations(): Record<string, RouteExpectation> {
  const list = (path: string): RouteExpectation => ({
    path: () => path,
    succeeds: 200,
    scope,
    anotherOrgs: 200,
  });
  return {
    'GET /api/overview': list('/api/overview'),
    'GET /api/management/cache/stats': list('/api/management/cache/stats'),
    'GET /api/analytics/values': list('/api/analytics/values?field=model'),
    'GET /api/analytics/annotations': list('/api/analytics/annotations'),
    'POST /api/analytics/annotations': {
      path: () => '/api/analytics/annotations',
      body: { text: 'web 4.2 deployed' },
      succeeds: 201,
      scope,
      anotherOrgs: 201,
    },
    'GET /api/analytics/tail': list(`/api/analytics/tail?after=${'A'.repeat(22)}`),
    'GET /api/analytics/export': list('/api/analytics/export'),
    'GET /api/analytics/months/{month}.csv': list('/api/analytics/months/2026-10.csv'),
    'GET /api/management/breakers/{id}/history': list(
      `/api/management/breakers/${encodeURIComponent('main/large@default')}/history`,
    ),
    ...viewRouteExpectations(),
    'GET /api/jobs/{id}': { path: ({ key }) => `/api/jobs/${key}`, succeeds: 200, scope, anotherOrgs: 404 },
    'POST /api/jobs/{id}/cancel': {
      path: ({ key }) => `/api/jobs/${key}/cancel`,
      succeeds: 200,
      scope,
      anotherOrgs: 404,
    },
  };
}

/**
 * Every member may write their own views. Shared views, and views that a key writes, require `management`.
 */
function viewRouteExpectations(): Record<string, RouteExpectation> {
  const views = '/api/management/views';
  const one: RouteExpectation['path'] = ({ key }) => `${views}/${key}`;
  const body = { name: 'Errors', page: 'requests', filters: { status: '5xx' } };
  const roles = MEMBER_ROLES;
  return {
    [`GET ${views}`]: { path: () => views, succeeds: 200, scope, anotherOrgs: 200 },
    [`POST ${views}`]: { path: () => views, body, succeeds: 201, scope, roles, anotherOrgs: 201 },
    [`GET ${views}/{id}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH ${views}/{id}`]: {
      path: one,
      body: { name: 'Faults' },
      succeeds: 200,
      scope,
      roles,
      anotherOrgs: 404,
    },
    // Ids are unique per org, so another org creates its own view with the id.
    [`PUT ${views}/{id}`]: { path: one, body, succeeds: 200, scope, roles, anotherOrgs: 200 },
    [`DELETE ${views}/{id}`]: { path: one, succeeds: 204, scope, roles, anotherOrgs: 404 },
  };
}

/**
 * Creates a background job in `acme` with the given id, and a view that is shared or belongs to the
 * test's viewers. Removes all others.
 */
export async function seedAnalytics(api: RunningApi, id: string, isViewers: boolean): Promise<void> {
  const shared = { id, org_id: 'acme', created_at: API_TEST_NOW };
  const viewer = await api.database.read
    .selectFrom('members')
    .select('id')
    .where('org_id', '=', 'acme')
    .where('role', '=', 'viewer')
    .where('id', 'like', 'mem%')
    .executeTakeFirstOrThrow();
  await api.database.transaction(async (writer) => {
    for (const table of ['views', 'jobs'] as const) await writer.deleteFrom(table).execute();
    await writer
      .insertInto('views')
      .values({
        ...shared,
        name: 'Errors',
        page: 'requests',
        owner: isViewers ? viewer.id : 'key_gone',
        shared: isViewers ? 0 : 1,
        filters_json: '{}',
        updated_at: API_TEST_NOW,
        updated_by: 'key_gone',
      })
      .execute();
    await writer
      .insertInto('jobs')
      .values({
        ...shared,
        kind: 'test',
        state: 'running',
        done: 0,
        created_by: 'key_gone',
        seen_at: API_TEST_NOW,
        cancel_requested: 0,
      })
      .execute();
  });
}
