import type { ListenerHandler } from './server.ts';

/**
 * Returns a handler that removes the path of `server.base_url` from request URLs, if the reverse proxy has not
 * removed it, and merges repeated slashes in gateway paths. All later checks see the resulting URL. Also accepts the
 * absolute form (RFC 9112, 3.2.2), which clients send to proxies.
 * @param prefix path of the configured base URL, '' for none
 */
export function normalizeRequestUrl(prefix: string, next: ListenerHandler): ListenerHandler {
  const onRequest: ListenerHandler['onRequest'] = (req, res, requestId) => {
    const url = req.url ?? '/';
    const path = mergeGatewaySlashes(url.startsWith('/') ? url : pathOfAbsoluteUrl(url), prefix);
    if (prefix !== '' && isBasePath(path, prefix)) {
      // Relative links of a page need the trailing slash.
      res.writeHead(308, { location: `${prefix}/`, 'content-length': 0, 'x-request-id': requestId });
      return void res.end();
    }
    req.url = withoutPrefix(path, prefix);
    next.onRequest(req, res, requestId);
  };
  return {
    onRequest,
    // The fast path serves only exact paths, so a path with repeated slashes gets to `onRequest`.
    findExchangeRoute: (target) => next.findExchangeRoute(withoutPrefix(target, prefix)),
  };
}

function withoutPrefix(path: string, prefix: string): string {
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

/**
 * Merges repeated slashes in the path of a gateway request, as reverse proxies do. Clients whose base URL ends in a
 * slash send such paths. All other paths keep their slashes, because a proxy that blocks `/metrics` may not block
 * `//metrics`.
 */
function mergeGatewaySlashes(url: string, prefix: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('//')) return url;
  const merged = path.replace(/\/{2,}/g, '/');
  return withoutPrefix(merged, prefix).startsWith('/gateway/') ? merged + url.slice(path.length) : url;
}

function isBasePath(url: string, prefix: string): boolean {
  return url.startsWith(prefix) && (url.length === prefix.length || url[prefix.length] === '?');
}

function pathOfAbsoluteUrl(url: string): string {
  const rest = url.replace(/^https?:\/\/[^/?]*/i, '');
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}
