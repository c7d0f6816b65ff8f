import { Fault } from '@floe/contract/faults';
import type { Credential, Provider } from '../providers/configured.ts';
import type { Dialect } from '../providers/provider.ts';

type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Where callers put a credential of their own; the platform key may stand in any of them. */
const PLACES = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
const PLATFORM_KEY = /^(sk-)?eis_/;

/**
 * The credential a caller sends beside the platform key (`credential_source: caller`), in the form the provider
 * wants. A bearer token of a Messages client stays one: there it is a subscription's, not a key.
 *
 * @throws Fault `missing_api_key` when the caller sent none; ours is never used instead.
 */
export function callerCredential(
  headers: ClientHeaders,
  dialect: Dialect,
  provider: Provider,
  model: string,
): Credential {
  for (const place of PLACES) {
    for (const text of [headers[place] ?? []].flat()) {
      const isBearer = place === 'authorization';
      const secret = isBearer ? bearerIn(text) : text.trim();
      if (secret === '' || PLATFORM_KEY.test(secret)) continue;
      const isForwarded = dialect === 'messages' && provider.speaks(dialect, model);
      const staysBearer = isBearer && (isForwarded || provider.sheet.auth.type === 'google');
      const header = ['authorization', `Bearer ${secret}`] as const;
      return { name: 'caller', secret, weight: 1, ...(staysBearer && { header }) };
    }
  }
  throw new Fault(
    'missing_api_key',
    `"${provider.id}" is used with the caller's own credential, and this request has none. Send it as the client usually does (Authorization or x-api-key), and the platform key as x-floe-key.`,
  );
}

function bearerIn(text: string): string {
  return /^bearer +(.+)$/i.exec(text.trim())?.[1] ?? '';
}
