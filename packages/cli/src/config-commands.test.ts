import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveReferencedVariables } from './config-commands.ts';

test('only variables that a document refers to are sent, not those in escaped references', () => {
  const env = { A: '1', B: '2', C: '3', D: '4', EMPTY: '' };
  assert.deepEqual(resolveReferencedVariables(`\${A} \${B:-x} $\${C} \${EMPTY} D \${NONE}`, env), {
    A: '1',
    B: '2',
  });
});
