import { Fault } from '@floe/contract/faults';
import type { ProviderCredential } from '../providers/configured-provider.ts';
import type { Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';

/** Headers that may contain a caller's own credential. The platform key can be in any of them. */
const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
const PLATFORM_KEY = /^(sk-)?eis_/;

/**
 * Returns the target with the credential that the caller sent in addition to the platform key
 * (`credential_source: caller`). Never falls back to a configured credential.
 * @throws Fault `missing_api_key` if the caller sent no credential
 */
export function applyCallerCredential(x: Exchange, target: Target): Target {
  const credential = findCallerCredential(x, target);
  if (credential) return { ...target, credential };
  throw new Fault(
    'missing_api_key',
    `The provider "${target.provider.id}" requires the caller's own credential, but this request does not contain one. Send the credential in Authorization or x-api-key, and the platform key in x-floe-key.`,
  );
}

/**
 * Returns the credential that the caller sent for the provider, or undefined if there is none. A bearer token
 * is sent as a bearer token in two cases: if a Messages request is forwarded, because the token can belong to a
 * subscription, and if the provider uses Google's authentication. Otherwise, the credential is sent in the header
 * in which the provider expects API keys.
 */
export function findCallerCredential(
  { caller: { presentedKey }, client: { headers }, surface: { dialect } }: Exchange,
  { provider, model }: Target,
): ProviderCredential | undefined {
  for (const place of CREDENTIAL_HEADERS) {
    for (const text of [headers[place] ?? []].flat()) {
      const isBearer = place === 'authorization';
      const secret = isBearer ? parseBearerToken(text) : text.trim();
      if (secret === '' || secret === presentedKey || PLATFORM_KEY.test(secret)) continue;
      const isForwarded = dialect === 'messages' && provider.supportsDialect(dialect, model);
      const staysBearer = isBearer && (isForwarded || provider.definition.auth.type === 'google');
      const header = ['authorization', `Bearer ${secret}`] as const;
      return { name: 'caller', secret, weight: 1, ...(staysBearer && { header }) };
    }
  }
  return undefined;
}

function parseBearerToken(text: string): string {
  return /^bearer +(.+)$/i.exec(text.trim())?.[1] ?? '';
}
