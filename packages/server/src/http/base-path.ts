import type { ListenerHandler } from './server.ts';

/**
 * Returns a handler that removes the path of `server.base_url` from request URLs, if the reverse proxy has not
 * removed it. Also accepts the absolute form (RFC 9112, 3.2.2), which clients send to proxies.
 * @param prefix path of the configured base URL, '' for none
 */
export function stripBasePath(prefix: string, next: ListenerHandler): ListenerHandler {
  const onRequest: ListenerHandler['onRequest'] = (req, res, requestId) => {
    const url = req.url ?? '/';
    if (!url.startsWith('/')) req.url = pathOfAbsoluteUrl(url);
    if (prefix === '') return next.onRequest(req, res, requestId);
    const path = req.url ?? '/';
    if (isBasePath(path, prefix)) {
      // Relative links of a page need the trailing slash.
      res.writeHead(308, { location: `${prefix}/`, 'content-length': 0, 'x-request-id': requestId });
      return void res.end();
    }
    if (path.startsWith(`${prefix}/`)) req.url = path.slice(prefix.length);
    next.onRequest(req, res, requestId);
  };
  return {
    onRequest,
    findExchangeRoute: (target) =>
      next.findExchangeRoute(
        prefix !== '' && target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target,
      ),
  };
}

function isBasePath(url: string, prefix: string): boolean {
  return url.startsWith(prefix) && (url.length === prefix.length || url[prefix.length] === '?');
}

function pathOfAbsoluteUrl(url: string): string {
  const rest = url.replace(/^https?:\/\/[^/?]*/i, '');
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}
