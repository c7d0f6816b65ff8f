import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileModelPatterns } from './model-pattern.ts';

test('a star matches any run of characters, slashes included, and the rest is literal', () => {
  const table: readonly [string, string, boolean][] = [
    ['openai/gpt-5', 'openai/gpt-5', true],
    ['openai/gpt-5', 'openai/gpt-5-mini', false],
    ['openai/gpt-5*', 'openai/gpt-5-mini', true],
    ['openai/*', 'openai/', true],
    ['openai/*', 'together/openai/gpt', false],
    ['*', '', true],
    ['*', 'together/meta-llama/Llama-3', true],
    ['*/Llama-*', 'together/meta-llama/Llama-3', true],
    ['*/llama-*', 'together/meta-llama/Llama-3', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'abbbc', true],
    ['a*b*c', 'acb', false],
    ['*ab', 'aab', true],
    ['gpt.5', 'gpt-5', false],
    ['[a-z]?', 'b', false],
    ['**', 'x', true],
    ['', '', true],
  ];
  for (const [pattern, text, expected] of table)
    assert.equal(compileModelPatterns([pattern])(text), expected, `${pattern} on ${text}`);
});

test('an empty list matches nothing, and a list matches what any of its patterns matches', () => {
  assert.equal(compileModelPatterns([])('openai/gpt-5'), false);
  const matches = compileModelPatterns(['openai/*', 'anthropic/claude-sonnet-4-5']);
  assert.ok(matches('openai/o3'));
  assert.ok(matches('anthropic/claude-sonnet-4-5'));
  assert.ok(!matches('anthropic/claude-opus-4-5'));
});

test('matching agrees with the plain definition of a star', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '*'), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 10 });
  const plain = (pattern: string, id: string): boolean => {
    if (pattern === '') return id === '';
    if (pattern[0] === '*') return plain(pattern.slice(1), id) || (id !== '' && plain(pattern, id.slice(1)));
    return pattern[0] === id[0] && plain(pattern.slice(1), id.slice(1));
  };
  fc.assert(
    fc.property(text, name, (pattern, id) => {
      assert.equal(compileModelPatterns([pattern])(id), plain(pattern, id));
    }),
  );
});
