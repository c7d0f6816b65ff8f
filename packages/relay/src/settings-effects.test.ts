import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from './compile-relay-config.ts';
import { evaluateRelayEvent } from './evaluate-event.ts';
import { applyAskFallback, HOOK_ADAPTERS } from './hooks/hook-adapters.ts';

const OWN = relayEvent.parse({ event: 'file_write', cwd: '/srv', file: { path: '~/.claude/settings.json' } });

test('self_tamper says whether an agent that changes its own settings is asked, watched or let be', () => {
  for (const [self_tamper, decision, would] of [
    ['enforce', 'ask', 'ask'],
    ['observe', 'abstain', 'ask'],
    ['off', 'abstain', 'abstain'],
  ] as const) {
    const relay = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', self_tamper }));
    const identity = { key: 'k', team: null, owner: null, org: 'acme' };
    const said = evaluateRelayEvent(OWN, { relay, grammar: null, identity, nowMs: 0 });
    assert.deepEqual([said.decision, said.would], [decision, would], self_tamper);
  }
});

test('ask_fallback is what an agent that cannot ask is told instead of a question', () => {
  const cursor = HOOK_ADAPTERS.get('cursor') ?? assert.fail();
  const call = cursor.read({ hook_event_name: 'beforeShellExecution', command: 'terraform apply', cwd: '' });
  const asked = { decision: 'ask', userMessage: null, agentMessage: null } as const;
  for (const fallback of ['deny', 'abstain'] as const) {
    const { ask_fallback } = RelaySchema.parse({ ask_fallback: fallback });
    assert.equal(applyAskFallback(cursor, call, asked, ask_fallback).decision, fallback);
  }
});
