import assert from 'node:assert/strict';
import { DISABLED_ACCESS_LOG } from '../../core/access-log.ts';
import { silentLog } from '../../core/log.ts';
import type { ResourceOwnerStore } from '../opaque/resource-owner-store.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { EMPTY_TURN_STORE } from './empty-turn-store.ts';

const NO_BACKGROUND: SharedGatewayDependencies['background'] = {
  defer: () => assert.fail('no background'),
  recordEnd: async () => undefined,
  pollSoon: () => undefined,
  close: async () => undefined,
};

const NO_OWNERS: ResourceOwnerStore = {
  record: async () => undefined,
  find: async () => new Map(),
  findCountedLines: async () => 0,
  claimLines: async () => true,
};

/** Returns a store in which every resource belongs to one key, at one provider. */
export function createFixedOwners(provider: string, keyId: string): ResourceOwnerStore {
  const owners = [{ provider, credential: 'default', keyId, kind: 'files' }];
  return { ...NO_OWNERS, find: async (_, ids) => new Map(ids.map((id) => [id, owners])) };
}

/** The parts of a gateway that store something, without a store. */
export const NO_STORES = {
  log: silentLog,
  accessLog: DISABLED_ACCESS_LOG,
  bodies: { store: () => undefined },
  resourceOwners: NO_OWNERS,
  spoolDir: '',
  background: NO_BACKGROUND,
  turns: EMPTY_TURN_STORE,
} as const;
