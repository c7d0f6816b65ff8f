import { relayBundle } from '@floe/contract/api/relay';
import { createSignedBundle } from '../../relay/bundle.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type RelayDependencies, toRelayCaller } from './relay-dependencies.ts';

/**
 * Defines the operation that returns the signed rules, for clients that make decisions locally, for
 * example while they cannot reach the server.
 */
export function defineGetBundleOperation({ orgRelays, bundleKey }: RelayDependencies): Operation {
  return defineReadOperation({
    name: 'relay.bundle',
    method: 'GET',
    path: '/relay/v1/bundle',
    scope: 'relay',
    summary:
      'Read the signed rule bundle that hooks evaluate when they cannot reach the server; supports `If-None-Match`',
    answer: relayBundle,
    hasEntityTag: true,
    run: async ({ actor, clock, orgId }) => ({
      ...createSignedBundle(bundleKey, orgRelays.get(orgId), toRelayCaller(actor), clock.now()),
    }),
  });
}
