import { relaySimulation, relaySimulationAnswer } from '@floe/contract/api/relay-management';
import type { RelayConfig } from '@floe/contract/config';
import { ROLES } from '@floe/contract/roles';
import type { Relay } from '@floe/relay/relay';
import type { Trials } from '../trials/trials.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';

/** What the rules, or a draft of them, say about an event that did not happen. Nothing is kept. */
export function simulateRelay({ relays }: Pick<RelayHost, 'relays'>, trials: Pick<Trials, 'run'>): Verb {
  return readVerb({
    name: 'relay.simulate',
    method: 'POST',
    path: '/api/management/relay/simulate',
    scope: 'management',
    // Whoever may read the rules may know what they say.
    roles: ROLES,
    summary: 'Show how a command is read, and which rules say what about it',
    body: relaySimulation,
    answer: relaySimulationAnswer,
    async run({ orgId, clock }, { body }) {
      const { event, key, team, owner, at } = body;
      const config = drafted(relays.of(orgId).relay, body);
      const nowMs = at === undefined ? clock.now() : Date.parse(at);
      return trials.run(orgId, 'simulateEvent', { config, event, identity: { key, team, owner }, nowMs });
    },
  });
}

interface Draft {
  readonly rules?: RelayConfig['rules'] | undefined;
  readonly mode?: RelayConfig['mode'] | undefined;
}

/** What an org runs with, a draft in its place where there is one. Not compiled: nobody knows yet whether it can be. */
export function drafted({ config }: Pick<Relay, 'config'>, { rules, mode }: Draft): RelayConfig {
  return { ...config, rules: rules ?? config.rules, mode: mode ?? config.mode };
}
