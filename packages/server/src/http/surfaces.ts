import type { ListenerConfig } from '@floe/contract/config';
import type { FaultShape } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import { type Entrance, refuseRequest } from './server.ts';

export type SurfaceName = ListenerConfig['surfaces'][number];

/** Beats have a door of their own in the middle of the API. */
export const HEARTBEAT = '/api/monitoring/heartbeat';

/** Which surface a path belongs to. */
export function surfaceOf(path: string): SurfaceName {
  if (path === '/healthz' || path === '/readyz') return 'health';
  if (path.startsWith('/gateway/')) return 'gateway';
  if (path.startsWith('/beat/') || path === HEARTBEAT) return 'beats';
  if (path.startsWith('/api/') || path === '/api') return 'management';
  if (path.startsWith('/relay/')) return 'relay';
  if (path.startsWith('/boards/')) return 'boards';
  return path === '/metrics' ? 'metrics' : 'console';
}

/** Errors come in the dialect of the base path, known path or not. */
export function shapeOf(path: string): FaultShape {
  return path.startsWith('/gateway/passthrough-b') || path.startsWith('/gateway/v1/messages')
    ? 'anthropic'
    : 'openai';
}

/** A URL's path, without its query. */
export function pathIn(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Surfaces of a listener that only monitoring reaches. */
const MONITORING = new Set<SurfaceName>(['metrics', 'health']);
const NO_TOKEN =
  '/metrics names every provider, and this listener can be reached from other machines. Set telemetry.metrics_token, or give it a listener of its own: server.listeners: [{ port: 9464, surfaces: [metrics] }].';

/** Whether `/metrics` may be read without a token here: on a listener of its own, or from this machine only. */
export function isPrivate(host: string, hasProxies: boolean, surfaces: readonly SurfaceName[]): boolean {
  if (surfaces.length > 0 && surfaces.every((name) => MONITORING.has(name))) return true;
  return !hasProxies && /^(?:127(?:\.\d{1,3}){3}|::1|\[::1\]|localhost)$/.test(host);
}

/** Refuses `/metrics`, for a listener that is not private while no token is set. */
export function withoutMetrics(next: Entrance): Entrance {
  return {
    onRequest(req, res, requestId) {
      if (surfaceOf(pathIn(req.url ?? '/')) !== 'metrics') return next.onRequest(req, res, requestId);
      refuseRequest(res, requestId, new Fault('missing_api_key', NO_TOKEN), 'openai');
    },
    placeOf: (target) => next.placeOf(target),
  };
}

/**
 * Lets through what belongs to one of `names`; everything else is a 404, as if it were no part of this program.
 * `/healthz` and `/readyz` answer everywhere: whoever forwards to a port probes that port.
 */
export function onlySurfaces(names: readonly SurfaceName[], next: Entrance): Entrance {
  const open = new Set<SurfaceName>(['health', ...names]);
  return {
    onRequest(req, res, requestId) {
      const path = pathIn(req.url ?? '/');
      if (open.has(surfaceOf(path))) return next.onRequest(req, res, requestId);
      refuseRequest(
        res,
        requestId,
        new Fault('not_found', 'There is nothing at this address.'),
        shapeOf(path),
      );
    },
    placeOf: (target) => (open.has(surfaceOf(pathIn(target))) ? next.placeOf(target) : undefined),
  };
}
