import { systemClock } from '../core/clock.ts';
import { type BoardRoutes, createBoardRoutes, drawBoard } from '../http/boards/board-routes.ts';
import type { MonitoringHost } from '../management/monitors/monitoring-host.ts';
import { readBoard } from '../monitoring/boards/status.ts';
import { boardBySlug } from '../store/monitoring/boards.ts';
import type { Parts } from './parts.ts';

/** What the verbs of monitoring stand on. @param place where this process is reached */
export function monitoringHost(
  { database, monitoring, pepper }: Parts,
  place: { readonly url: string },
  timezone: (orgId: string) => string,
): MonitoringHost {
  return {
    engine: monitoring,
    store: database.engine,
    secret: pepper,
    baseUrl: () => place.url,
    timezone,
    drawBoard: (view) => drawBoard(view, new URL(place.url).pathname.replace(/\/$/, '')),
  };
}

/** The public pages of boards. */
export function assembleBoards({ database, log }: Parts, host: MonitoringHost, prefix: string): BoardRoutes {
  const publicBoard = async (slug: string) => {
    const row = await boardBySlug(database.read, slug);
    return row?.public === 1 ? row : null;
  };
  const source = {
    async versionOf(slug: string) {
      const row = await publicBoard(slug);
      return row && `${row.id} ${row.updated_at} ${host.timezone(row.org_id)}`;
    },
    async read(slug: string) {
      const row = await publicBoard(slug);
      return row && readBoard(database.read, row, host.timezone(row.org_id), host.engine.sight());
    },
  };
  return createBoardRoutes({ source, clock: systemClock, log, prefix });
}
