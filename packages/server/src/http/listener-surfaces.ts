import type { ListenerConfig } from '@floe/contract/config';
import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { type ListenerHandler, rejectRequest } from './server.ts';

export type ListenerSurface = ListenerConfig['surfaces'][number];

/** The path that receives beats from SDKs. The path starts with `/api`, but belongs to the surface `beats`. */
export const HEARTBEAT_PATH = '/api/monitoring/heartbeat';

/** Returns the surface that a path belongs to. */
export function resolveSurfaceForPath(path: string): ListenerSurface {
  if (path === '/healthz' || path === '/readyz') return 'health';
  if (path.startsWith('/gateway/')) return 'gateway';
  if (path.startsWith('/beat/') || path === HEARTBEAT_PATH) return 'beats';
  if (path.startsWith('/api/') || path === '/api') return 'management';
  if (path.startsWith('/relay/')) return 'relay';
  if (path.startsWith('/boards/')) return 'boards';
  return path === '/metrics' ? 'metrics' : 'console';
}

/**
 * Returns the error format for a path. It depends on the path's prefix, so it is also correct for
 * unknown paths.
 */
export function resolveErrorFormatForPath(path: string): ErrorBodyFormat {
  return path.startsWith('/gateway/passthrough-b') || path.startsWith('/gateway/v1/messages')
    ? 'anthropic'
    : 'openai';
}

/** Returns the path of a URL without its query. */
export function getUrlPath(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Surfaces that make a listener private if it has no others. */
const INTERNAL_SURFACES = new Set<ListenerSurface>(['metrics', 'health']);
const METRICS_TOKEN_REQUIRED =
  '/metrics lists every provider, and this listener is reachable from other machines. Set telemetry.metrics_token, or serve /metrics on a separate listener: server.listeners: [{ port: 9464, surfaces: [metrics] }].';

/**
 * Returns whether `/metrics` may be read without a token, which is the case on a private listener
 * or on loopback.
 */
export function allowsUnauthenticatedMetrics(
  host: string,
  hasProxies: boolean,
  surfaces: readonly ListenerSurface[],
): boolean {
  if (surfaces.length > 0 && surfaces.every((name) => INTERNAL_SURFACES.has(name))) return true;
  return !hasProxies && /^(?:127(?:\.\d{1,3}){3}|::1|\[::1\]|localhost)$/.test(host);
}

/**
 * Returns a handler that rejects requests for `/metrics` while no token is configured, and passes all others to
 * `next`. Used for a listener that is not private.
 */
export function blockMetricsWithoutToken(next: ListenerHandler, hasToken: () => boolean): ListenerHandler {
  return {
    onRequest(req, res, requestId) {
      if (hasToken() || resolveSurfaceForPath(getUrlPath(req.url ?? '/')) !== 'metrics')
        return next.onRequest(req, res, requestId);
      rejectRequest(res, requestId, new Fault('missing_api_key', METRICS_TOKEN_REQUIRED), 'openai');
    },
    findExchangeRoute: (target) => next.findExchangeRoute(target),
  };
}

/**
 * Returns a handler that serves only the paths of the surfaces in `names`. All other paths return 404, as if
 * they did not exist. `/healthz` and `/readyz` are always served, because a load balancer probes the port that
 * it forwards to.
 */
export function limitToSurfaces(names: readonly ListenerSurface[], next: ListenerHandler): ListenerHandler {
  const open = new Set<ListenerSurface>(['health', ...names]);
  return {
    onRequest(req, res, requestId) {
      const path = getUrlPath(req.url ?? '/');
      if (open.has(resolveSurfaceForPath(path))) return next.onRequest(req, res, requestId);
      rejectRequest(
        res,
        requestId,
        new Fault(
          'not_found',
          'No endpoint exists at this path on this listener. server.listeners defines which paths each listener serves.',
        ),
        resolveErrorFormatForPath(path),
      );
    },
    findExchangeRoute: (target) =>
      open.has(resolveSurfaceForPath(getUrlPath(target))) ? next.findExchangeRoute(target) : undefined,
  };
}
