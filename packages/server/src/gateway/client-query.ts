import { Fault } from '@floe/contract/faults';
import type { ClientCall } from './client-call.ts';

/** The exchange properties that determine which query is forwarded. */
interface QuerySource {
  readonly client: Pick<ClientCall, 'target'>;
  readonly caller: { readonly presentedKey: string };
}

/**
 * Returns the query that is forwarded to a provider of the client's dialect: the client's own, including `?`, or
 * an empty string. Parameters that contain the platform key are removed.
 */
export function buildForwardedQuery({ client, caller }: QuerySource): string {
  const at = client.target.indexOf('?');
  if (at === -1 || at === client.target.length - 1) return '';
  const query = client.target.slice(at);
  const containsKey = (text: string) => decodePercentEncoding(text).includes(caller.presentedKey);
  if (!containsKey(query)) return query;
  return formatQuery(
    query
      .slice(1)
      .split('&')
      .filter((pair) => !containsKey(pair)),
  );
}

/**
 * Rejects a query with characters that a URL cannot contain.
 * @throws Fault `invalid_request`
 */
export function requireValidQuery(query: string): void {
  if (/[^\x21-\x7e]|#/.test(query))
    throw new Fault(
      'invalid_request',
      'The query string of this request contains characters that must be percent-encoded. Encode them, and send the request again.',
      { param: 'path' },
    );
}

/**
 * Appends a client's query to the path of a provider. Parameters that the path already contains come from the
 * provider's configuration, so client parameters with the same names are dropped.
 * @throws Fault `invalid_request` for characters that a URL cannot contain
 */
export function appendQuery(path: string, query: string): string {
  if (query === '' || query === '?') return path;
  requireValidQuery(query);
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
  return decodePercentEncoding(/^[^=]*/.exec(pair)?.[0] ?? '');
}

/**
 * Decodes percent-encoded bytes one at a time, so that text with an invalid encoding can also be compared.
 * Only ASCII characters are readable in the result.
 */
export function decodePercentEncoding(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function formatQuery(pairs: readonly string[]): string {
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
