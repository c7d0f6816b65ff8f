import { extractPlatformKey } from '../platform/key-format.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import type { ClientCall } from './client-call.ts';
import { EMPTY_ORG_CATALOG, type OrgCatalog } from './org-catalog.ts';
import type { SharedGatewayDependencies } from './shared-gateway-dependencies.ts';

/** An authenticated caller and its organization's catalog. */
export interface AuthenticatedCaller {
  readonly key: KeyRecord;
  /** The key in the request, without the prefix `sk-`. */
  readonly presentedKey: string;
  /** The catalog of the snapshot that the exchange uses from start to end. */
  readonly catalog: OrgCatalog;
}

/**
 * Authenticates a request by its platform key. Returns the key and the catalog of its organization.
 * @param atMs when the request arrived, in Unix milliseconds
 * @throws Fault with status 401
 */
export function authenticateCaller(
  client: ClientCall,
  gateway: Pick<SharedGatewayDependencies, 'snapshot'>,
  atMs: number,
): AuthenticatedCaller {
  const { keyring, catalogs } = gateway.snapshot();
  const presentedKey = extractPlatformKey(client.headers, keyring);
  const key = keyring.authenticate(presentedKey, atMs);
  client.markAuthenticated();
  return { key, presentedKey, catalog: catalogs.get(key.orgId) ?? EMPTY_ORG_CATALOG };
}
