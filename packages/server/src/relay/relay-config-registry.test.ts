import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayRuleSchema, RelaySchema } from '@floe/contract/config/relay';
import { createRelayConfigRegistry } from './relay-config-registry.ts';

test('a rule that this release cannot compile is reported once and does not prevent the update', () => {
  const ruleOf = (name: string, text: string) =>
    RelayRuleSchema.parse({ name, on: 'prompt', match: { text }, decision: 'deny' });
  const stored = new Map([
    ['acme', [{ id: 'rul_1', config: ruleOf('stored-by-another-release', '(') }]],
    ['other', [{ id: 'rul_2', config: ruleOf('valid', 'a+') }]],
  ]);
  const configs = new Map([['acme', RelaySchema.parse({ rules: [ruleOf('valid', 'b+')] })]]);
  const registry = createRelayConfigRegistry();
  assert.deepEqual(
    registry.update(configs, stored).map(({ orgId, rule }) => [orgId, rule]),
    [['acme', 'stored-by-another-release']],
  );
  const decisionsOf = (orgId: string) =>
    registry.get(orgId).relay.rules.map(({ name, decision }) => `${name} ${decision}`);
  assert.deepEqual(decisionsOf('acme').slice(0, 2), ['valid deny', 'stored-by-another-release ask']);
  assert.equal(decisionsOf('other')[0], 'valid deny');
  assert.deepEqual(registry.update(configs, stored), []);
  assert.deepEqual(registry.update(new Map(configs), new Map(stored)), []);
});
