import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { compileRule } from '@floe/relay/rules/compile-rule';
import { precompileRelayRules } from './stored-relay-rules.ts';

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
