import type { OpenedListeners } from './listeners.ts';

const LOOPBACK_HOST = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns a warning if the host of the base URL is a loopback host and this process does not listen on the
 * port of the base URL; otherwise null. It is only a warning, because the port may be forwarded.
 */
export function findBaseUrlWarning(
  baseUrl: string,
  { url, additional }: Pick<OpenedListeners, 'url' | 'additional'>,
): string | null {
  const { hostname } = new URL(baseUrl);
  const isReached = [url, ...additional.map((listener) => listener.url)].some(
    (listener) => portOf(listener) === portOf(baseUrl),
  );
  if (!LOOPBACK_HOST.test(hostname) || isReached) return null;
  return `server.base_url is ${baseUrl}, but the server listens on port ${portOf(url)}, so links might not work. Remove server.base_url and FLOE_BASE_URL, unless port ${portOf(baseUrl)} is forwarded to this server.`;
}

function portOf(url: string): string {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'https:' ? '443' : '80');
}
