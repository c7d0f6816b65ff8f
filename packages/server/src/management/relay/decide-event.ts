import { relayDecision, relayEvent, relayEventBatch, relayEventBatchResult } from '@floe/contract/api/relay';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type RelayDependencies, toRelayCaller } from './relay-dependencies.ts';

/** Defines the operation that decides on one action that an agent is about to take. */
export function defineDecideEventOperation({ decisionEngine }: RelayDependencies): Operation {
  return defineReadOperation({
    name: 'relay.decide',
    method: 'POST',
    path: '/relay/v1/decisions',
    scope: 'relay',
    summary:
      'Decide whether an agent may run a shell command, call a tool, accept a prompt, or read or write a file',
    body: relayEvent,
    answer: relayDecision,
    run: async ({ actor }, { body }) => decisionEngine.decide(toRelayCaller(actor), body),
  });
}

/** Defines the operation that decides on several events, one after the other. */
export function defineDecideEventBatchOperation({ decisionEngine }: RelayDependencies): Operation {
  return defineReadOperation({
    name: 'relay.decide_batch',
    method: 'POST',
    path: '/relay/v1/decisions/batch',
    scope: 'relay',
    summary: 'Decide on up to 100 events, each independently',
    body: relayEventBatch,
    answer: relayEventBatchResult,
    async run({ actor }, { body }) {
      const data = [];
      const yielder = new EventLoopYielder();
      for (const event of body.events) {
        data.push(await decisionEngine.decide(toRelayCaller(actor), event));
        // The analysis of one command takes up to 10 ms.
        await yielder.endStep();
      }
      return { data };
    },
  });
}
