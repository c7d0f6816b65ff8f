import { systemClock } from '../core/clock.ts';
import { OrgPacer } from '../core/org-pacer.ts';
import type { ClientCall } from '../gateway/client-call.ts';
import type { BoardLoader } from '../http/boards/board-cache.ts';
import { type BoardRoutes, createBoardRoutes, renderBoardPreview } from '../http/boards/board-routes.ts';
import { createConfiguredSessionCookieDefinition } from '../http/sign-in/session-cookie.ts';
import type { MonitoringDependencies } from '../management/monitors/monitoring-dependencies.ts';
import { loadBoardView } from '../monitoring/boards/board-view.ts';
import type { SignInContext } from '../platform/sign-in/sign-in-context.ts';
import { type BoardRow, findBoardBySlug } from '../store/monitoring/boards.ts';
import type { ServerComponents } from './server-components.ts';

/**
 * Creates the dependencies of the monitoring operations.
 * @param location contains the base URL of this process
 */
export function createMonitoringDependencies(
  { monitoring, pepper }: ServerComponents,
  location: { readonly url: string },
  timezone: (orgId: string) => string,
): MonitoringDependencies {
  return {
    engine: monitoring,
    beatSecret: pepper,
    baseUrl: () => location.url,
    timezone,
    previewPacer: new OrgPacer(systemClock, { maxWaiting: 5, pauseFactor: 4 }),
    renderBoard: (view) => renderBoardPreview(view, new URL(location.url).pathname.replace(/\/$/, '')),
  };
}

/**
 * Creates the routes of board pages. Anyone can open public boards. Only signed-in members can open the
 * others.
 */
export function createConfiguredBoardRoutes(
  { database, log }: ServerComponents,
  dependencies: MonitoringDependencies,
  signIn: SignInContext,
  prefix: string,
): BoardRoutes {
  const publicBoard = async (slug: string) => {
    const row = await findBoardBySlug(database.read, slug);
    return row?.public === 1 ? row : null;
  };
  const ownBoard = async (name: string) => {
    const [orgId, slug = ''] = name.split('/');
    const row = await findBoardBySlug(database.read, slug);
    return row && row.org_id === orgId ? row : null;
  };
  const sourceOf = (boardOf: (name: string) => Promise<BoardRow | null>): BoardLoader => ({
    async versionOf(name) {
      const row = await boardOf(name);
      if (!row) return null;
      const version = `${row.id} ${row.updated_at} ${dependencies.timezone(row.org_id)}`;
      return { orgId: row.org_id, version };
    },
    async read(name) {
      const row = await boardOf(name);
      return (
        row &&
        loadBoardView(
          database.read,
          row,
          dependencies.timezone(row.org_id),
          dependencies.engine.evaluationContext(),
        )
      );
    },
  });
  const members = {
    source: sourceOf(ownBoard),
    async orgsOf({ headers }: ClientCall) {
      const { cookie } = headers;
      const token = createConfiguredSessionCookieDefinition(signIn).read(
        typeof cookie === 'string' ? cookie : undefined,
      );
      const live = token === null ? null : await signIn.sessions.find(token);
      return (live?.memberships ?? []).map(({ org }) => org.id);
    },
  };
  return createBoardRoutes({ source: sourceOf(publicBoard), members, clock: systemClock, log, prefix });
}
