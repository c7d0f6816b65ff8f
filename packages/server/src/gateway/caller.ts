import { extractPlatformKey } from '../platform/key-format.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import { type Catalog, EMPTY_CATALOG } from './catalog.ts';
import type { ClientConnection } from './client.ts';
import type { Gateway } from './gateway.ts';

/** Who asks, and what their org offers. */
export interface AuthenticatedCaller {
  readonly key: KeyRecord;
  /** The key as the request presents it, without its `sk-`. */
  readonly presentedKey: string;
  /** The org's slice of the snapshot that the request is judged by, from start to end. */
  readonly catalog: Catalog;
}

/**
 * Finds the platform key that a request presents, and the catalog of its org.
 *
 * @param atMs when the request came, milliseconds
 * @throws Fault a 401
 */
export function authenticateCaller(
  client: ClientConnection,
  gateway: Pick<Gateway, 'snapshot'>,
  atMs: number,
): AuthenticatedCaller {
  const { keyring, catalogs } = gateway.snapshot();
  const presentedKey = extractPlatformKey(client.headers, keyring);
  const key = keyring.authenticate(presentedKey, atMs);
  client.markAuthenticated();
  return { key, presentedKey, catalog: catalogs.get(key.orgId) ?? EMPTY_CATALOG };
}
