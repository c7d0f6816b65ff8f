import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { compileRule } from '@floe/relay/rules/compile-rule';
import type { StoredRuleRow } from '../store/stored-rules.ts';
import { parseStoredRelayRule, precompileRelayRules } from './stored-relay-rules.ts';

test('each rule is compiled in a step of its own, and an invalid rule does not stop the others', async () => {
  // A rule that is compiled already is not read again.
  const read = new Set<string>();
  const [first, invalid, last] = (['a', '(', 'b'] as const).map((pattern, at) => {
    const rule = RelayRuleSchema.parse({
      name: `rule-${at}`,
      on: ['prompt'],
      match: { text: [pattern] },
      decision: 'deny',
    });
    return new Proxy(rule, {
      get(target, member) {
        read.add(rule.name);
        return Reflect.get(target, member);
      },
    });
  });
  assert.ok(first && invalid && last);
  const steps: string[][] = [];
  await precompileRelayRules([first, invalid, last], async () => {
    steps.push([...read]);
    read.clear();
  });
  assert.deepEqual(steps, [['rule-0'], ['rule-1'], ['rule-2']]);
  compileRule(first);
  compileRule(last);
  assert.deepEqual([...read], [], 'the later use compiles nothing');
});

test('a stored rule with more patterns than a newer maximum remains in effect', () => {
  const rule = {
    name: 'long',
    on: 'shell',
    match: { command: Array.from({ length: 501 }, (_, n) => `c${n}`) },
    decision: 'deny',
  };
  assert.equal(RelayRuleSchema.safeParse(rule).success, false);
  const row = { id: 'rlr_1', org_id: 'acme', rule_json: JSON.stringify(rule) };
  assert.equal(parseStoredRelayRule(row as StoredRuleRow).decision, 'deny');
});
