import { relayBatch, relayBatchAnswer, relayDecision, relayEvent } from '@floe/contract/api/relay';
import { readVerb, type Verb } from '../verb.ts';
import { askerOf, type RelayHost } from './relay-host.ts';

/** What may be done about one thing an agent is about to do. */
export function decideEvent({ decisions }: RelayHost): Verb {
  return readVerb({
    name: 'relay.decide',
    method: 'POST',
    path: '/relay/v1/decisions',
    scope: 'relay',
    summary: 'Decide about a shell command, a call of a connector, a prompt or a file, before it happens',
    body: relayEvent,
    answer: relayDecision,
    run: async ({ actor }, { body }) => decisions.decide(askerOf(actor), body),
  });
}

/** The same for several events, in their order. */
export function decideBatch({ decisions }: RelayHost): Verb {
  return readVerb({
    name: 'relay.decide_batch',
    method: 'POST',
    path: '/relay/v1/decisions/batch',
    scope: 'relay',
    summary: 'Decide about up to 100 events, each by itself',
    body: relayBatch,
    answer: relayBatchAnswer,
    async run({ actor }, { body }) {
      const data = [];
      for (const event of body.events) data.push(await decisions.decide(askerOf(actor), event));
      return { data };
    },
  });
}
