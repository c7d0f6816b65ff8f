import { Fault } from '@floe/contract/faults';
import type { ClientConnection } from './client-connection.ts';

/** The exchange properties that determine which query is forwarded. */
interface QuerySource {
  readonly client: Pick<ClientConnection, 'target'>;
  readonly caller: { readonly presentedKey: string };
}

/**
 * Returns the query that is forwarded to a provider of the client's dialect: the client's own, including `?`, or
 * an empty string. Parameters that contain the platform key are removed.
 * @throws Fault `invalid_request` for characters that a URL cannot contain
 */
export function getForwardedQuery({ client, caller }: QuerySource): string {
  const at = client.target.indexOf('?');
  if (at === -1 || at === client.target.length - 1) return '';
  const query = client.target.slice(at);
  requireValidQuery(query);
  if (!query.includes(caller.presentedKey)) return query;
  return formatQuery(
    query
      .slice(1)
      .split('&')
      .filter((pair) => !pair.includes(caller.presentedKey)),
  );
}

/** @throws Fault `invalid_request` for characters that a URL cannot contain */
export function requireValidQuery(query: string): void {
  if (/[^\x21-\x7e]|#/.test(query))
    throw new Fault(
      'invalid_request',
      'This path cannot be forwarded. The query contains characters that must be percent-encoded.',
      { param: 'path' },
    );
}

/**
 * Appends a client's query to the path of a provider. If the path already has a parameter of the same name, the
 * provider is configured with it, and the client's parameter is removed.
 */
export function appendQuery(path: string, query: string): string {
  if (query === '' || query === '?') return path;
  const at = path.indexOf('?');
  if (at === -1) return path + query;
  const configured = new Set(
    path
      .slice(at + 1)
      .split('&')
      .map(parameterName),
  );
  const own = query
    .slice(1)
    .split('&')
    .filter((pair) => !configured.has(parameterName(pair)));
  return own.length === 0 ? path : `${path}&${own.join('&')}`;
}

function parameterName(pair: string): string {
  return /^[^=]*/.exec(pair)?.[0] ?? '';
}

function formatQuery(pairs: readonly string[]): string {
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
