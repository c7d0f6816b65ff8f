import { systemClock } from '../core/clock.ts';
import type { Client } from '../gateway/client.ts';
import type { BoardSource } from '../http/boards/board-cache.ts';
import { type BoardRoutes, createBoardRoutes, drawBoard } from '../http/boards/board-routes.ts';
import { cookieFor } from '../http/sign-in/session-cookie.ts';
import type { MonitoringHost } from '../management/monitors/monitoring-host.ts';
import { readBoard } from '../monitoring/boards/status.ts';
import type { SignInParts } from '../platform/sign-in/sign-in.ts';
import { type BoardRow, boardBySlug } from '../store/monitoring/boards.ts';
import type { Parts } from './parts.ts';

/** What the verbs of monitoring stand on. @param place where this process is reached */
export function monitoringHost(
  { monitoring, pepper }: Parts,
  place: { readonly url: string },
  timezone: (orgId: string) => string,
): MonitoringHost {
  return {
    engine: monitoring,
    secret: pepper,
    baseUrl: () => place.url,
    timezone,
    drawBoard: (view) => drawBoard(view, new URL(place.url).pathname.replace(/\/$/, '')),
  };
}

/** The pages of boards: public ones for anyone, the others for members who are signed in. */
export function assembleBoards(
  { database, log }: Parts,
  host: MonitoringHost,
  signIn: SignInParts,
  prefix: string,
): BoardRoutes {
  const publicBoard = async (slug: string) => {
    const row = await boardBySlug(database.read, slug);
    return row?.public === 1 ? row : null;
  };
  const ownBoard = async (name: string) => {
    const [orgId, slug = ''] = name.split('/');
    const row = await boardBySlug(database.read, slug);
    return row && row.org_id === orgId ? row : null;
  };
  const sourceOf = (boardOf: (name: string) => Promise<BoardRow | null>): BoardSource => ({
    async versionOf(name) {
      const row = await boardOf(name);
      return row && `${row.id} ${row.updated_at} ${host.timezone(row.org_id)}`;
    },
    async read(name) {
      const row = await boardOf(name);
      return row && readBoard(database.read, row, host.timezone(row.org_id), host.engine.sight());
    },
  });
  const members = {
    source: sourceOf(ownBoard),
    async orgsOf({ headers }: Client) {
      const { cookie } = headers;
      const token = cookieFor(signIn).read(typeof cookie === 'string' ? cookie : undefined);
      const live = token === null ? null : await signIn.sessions.find(token);
      return (live?.everywhere ?? []).map(({ org }) => org.id);
    },
  };
  return createBoardRoutes({ source: sourceOf(publicBoard), members, clock: systemClock, log, prefix });
}
