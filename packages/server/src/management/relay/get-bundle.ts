import { relayBundle } from '@floe/contract/api/relay';
import { signBundle } from '../../relay/bundle.ts';
import { readVerb, type Verb } from '../verb.ts';
import { askerOf, type RelayHost } from './relay-host.ts';

/** The rules for a client that decides by itself: while the server is away, or to be quick. */
export function getBundle({ relays, bundleKey }: RelayHost): Verb {
  return readVerb({
    name: 'relay.bundle',
    method: 'GET',
    path: '/relay/v1/bundle',
    scope: 'relay',
    summary: 'Fetch the signed rules for deciding without the server; honours If-None-Match',
    answer: relayBundle,
    tagged: true,
    run: async ({ actor, clock, orgId }) => ({
      ...signBundle(bundleKey, relays.of(orgId), askerOf(actor), clock.now()),
    }),
  });
}
