import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RelayDecisionEngine } from '../../relay/decision-engine.ts';
import { defineDecideEventBatchOperation } from './decide-event.ts';

/** Longer than one turn of the event loop may take. */
const DECISION_MS = 5;

test('other work runs between the decisions of a batch', async () => {
  const order: string[] = [];
  const decisionEngine = {
    async decide(_caller: unknown, event: { id?: string | undefined }) {
      order.push(String(event.id));
      setImmediate(() => order.push('other'));
      const until = performance.now() + DECISION_MS;
      while (performance.now() < until);
      return {};
    },
  } as unknown as RelayDecisionEngine;
  const operation = defineDecideEventBatchOperation({ decisionEngine } as never);
  const events = ['1', '2'].map((id) => ({
    id,
    event: 'shell',
    agent: { name: 'a' },
    shell: { command: 'ls' },
  }));
  const raw = { params: {}, query: {}, body: { events }, idempotencyKey: undefined };
  await operation.readAnswer?.({} as never, {} as never, { orgId: 'acme' } as never, raw);
  assert.deepEqual(order.slice(0, 3), ['1', 'other', '2']);
});
