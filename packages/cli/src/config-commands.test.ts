import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveReferencedVariables } from './config-commands.ts';

test('only variables that a document refers to are sent, not those in comments and escaped references', () => {
  const env = { A: '1', B: '2', C: '3', D: '4', EMPTY: '' };
  const text = `a: \${A} # \${D}\n#  d: \${D}\nb: ["\${B:-x} $\${C}", '\${EMPTY}', D, "\${NONE}"]`;
  assert.deepEqual(resolveReferencedVariables(text, env), { A: '1', B: '2' });
});
