import { presentedKey } from '../platform/key-format.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import { type Catalog, EMPTY_CATALOG } from './catalog.ts';
import type { Client } from './client.ts';
import type { Gateway } from './gateway.ts';

/** Who asks, and what their org offers. */
export interface Caller {
  readonly key: KeyRecord;
  /** The org's slice of the snapshot that the request is judged by, from start to end. */
  readonly catalog: Catalog;
}

/**
 * Finds the platform key that a request presents, and the catalog of its org.
 *
 * @param atMs when the request came, milliseconds
 * @throws Fault a 401
 */
export function identify(client: Client, gateway: Pick<Gateway, 'snapshot'>, atMs: number): Caller {
  const { keyring, catalogs } = gateway.snapshot();
  const key = keyring.authenticate(presentedKey(client.headers), atMs);
  client.authenticated();
  return { key, catalog: catalogs.get(key.orgId) ?? EMPTY_CATALOG };
}
