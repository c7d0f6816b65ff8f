import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { Fault } from '@floe/contract/faults';
import { simulateEvent } from './simulate-event-task.ts';

test('rules in use are simulated as the relay evaluates them, and a draft must be valid', async () => {
  const config = RelaySchema.parse({
    mode: 'enforce',
    rules: [{ name: 'broken', on: 'shell', when: 'command.colour == 1', decision: 'deny' }],
  });
  const event = relayEvent.parse({ event: 'shell', shell: { command: 'ls' } });
  const identity = { key: 'k', team: null, owner: null };
  const simulate = (areInUse: boolean) => simulateEvent({ config, areInUse, event, identity, nowMs: 0 });
  assert.equal((await simulate(true)).decision, 'ask');
  await assert.rejects(simulate(false), Fault);
});
