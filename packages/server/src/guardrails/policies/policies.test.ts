import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PolicySchema } from '@floe/contract/config/limits-cache-policies';
import { compilePolicies, precompilePolicyConditions } from './policies.ts';
import { POLICY_VOCABULARY } from './policy-variables.ts';

test('other work can run after each compiled condition, even after an invalid one', async (t) => {
  const { example } = POLICY_VOCABULARY;
  // Only a compilation reads the vocabulary.
  let reads = 0;
  const get = () => {
    reads += 1;
    return example;
  };
  Object.defineProperty(POLICY_VOCABULARY, 'example', { configurable: true, get });
  t.after(() => Object.defineProperty(POLICY_VOCABULARY, 'example', { value: example }));
  const policies = ['key == "steps"', 'nobody.knows', undefined, 'team == "steps"'].map((when, at) =>
    PolicySchema.parse({ name: `p${at}`, on: 'request', action: 'flag', when, detect: { secrets: true } }),
  );
  const hasCompiled: boolean[] = [];
  await precompilePolicyConditions(policies, async () => {
    hasCompiled.push(reads > 0);
    reads = 0;
  });
  assert.deepEqual(hasCompiled, [true, true, false, true]);
  compilePolicies(policies.filter(({ when }) => when !== 'nobody.knows'));
  assert.equal(reads, 0, 'the later use compiles nothing');
});
