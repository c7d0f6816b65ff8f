import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { expandVariables, substituteVariables } from './substitute-variables.ts';

const variables = (name: string) => ({ PORT: '8080', EMPTY: '', TRUE: 'true', NESTED: '${PORT}' })[name];

test('variables, defaults and the escape are substituted', () => {
  const cases = {
    'a${PORT}b': 'a8080b',
    '${PORT}${PORT}': '80808080',
    '${NOPE:-5}': '5',
    '${EMPTY:-5}': '5',
    '${EMPTY}': '',
    '${NOPE:-}': '',
    '${NOPE:-a:-b}': 'a:-b',
    '$${PORT}': '${PORT}',
    '${PORT}$${PORT}': '8080${PORT}',
    '$$${PORT}': '$${PORT}',
    '$PORT $ $$ {}': '$PORT $ $$ {}',
    '${NESTED}': '${PORT}',
  };
  for (const [text, expected] of Object.entries(cases))
    assert.deepEqual(expandVariables(text, variables).text, expected, text);
});

test('an unset variable, a missing brace and an invalid name are errors that show no value', () => {
  assert.deepEqual(expandVariables('${NOPE}', variables).unset, ['NOPE']);
  assert.deepEqual(expandVariables('${NOPE} ${NADA}', variables).unset, ['NOPE', 'NADA']);
  assert.match(expandVariables('secret ${PORT', variables).faults.join(), /must have a closing "}"/);
  assert.match(expandVariables('${sk-secret}', variables).faults.join(), /must have the form \$\{NAME\}/);
  assert.doesNotMatch(expandVariables('secret ${sk-secret} ${PORT', variables).faults.join(), /secret/);
});

test('a default that contains another reference is an error, because it would become literal text', () => {
  assert.match(
    expandVariables('${NOPE:-${PORT}}', variables).faults.join(),
    /must not contain another reference/,
  );
  assert.match(expandVariables('${PORT:-$${PORT}}', variables).faults.join(), /must not contain another/);
});

test('escaped text is unchanged after substitution, whatever it contains', () => {
  const pieces = fc
    .array(fc.constantFrom('$', '{', '}', '${', ':-', 'PORT', 'x', ' '))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(pieces, fc.string()), (text) => {
      const expansion = expandVariables(
        text.replaceAll('${', () => '$${'),
        variables,
      );
      assert.deepEqual(expansion, { text, names: [], unset: [], faults: [] });
    }),
  );
});

test('the value of a variable is inserted unchanged between the surrounding text', () => {
  const around = fc.string().map((text) => text.replaceAll('$', ''));
  fc.assert(
    fc.property(around, fc.string(), around, (before, content, after) => {
      const expansion = expandVariables(`${before}\${V}${after}`, () => content);
      assert.equal(expansion.text, before + content + after);
      assert.deepEqual(expansion.faults, []);
    }),
  );
});

test('substitution of hostile text takes linear time', () => {
  const text = '${'.repeat(200_000);
  assert.equal(expandVariables(text, variables).faults.length, 1);
  assert.equal(expandVariables('${A:-}'.repeat(50_000), () => undefined).text, '');
});

test('the schema determines the type of a substituted value', () => {
  const schema = z.strictObject({
    port: z.int().default(1),
    on: z.boolean().optional(),
    name: z.string(),
    list: z.array(z.union([z.string(), z.number()])),
    prices: z.record(z.string(), z.strictObject({ input: z.number() })),
  });
  const tree = {
    port: '${PORT}',
    on: '${TRUE}',
    name: '${PORT}',
    list: ['${PORT}'],
    prices: { m: { input: '${NOPE:--0.25}' } },
  };
  assert.deepEqual(substituteVariables(tree, schema, variables).tree, {
    port: 8080,
    on: true,
    name: '8080',
    list: ['8080'],
    prices: { m: { input: -0.25 } },
  });
});

test('a quoted number without a variable remains text, and so does a value that is not a number', () => {
  const schema = z.strictObject({ port: z.int() });
  const port = (text: string) => substituteVariables({ port: text }, schema, () => 'abc').tree;
  assert.deepEqual(port('8080'), { port: '8080' });
  assert.deepEqual(port('${X}'), { port: 'abc' });
  for (const odd of ['0x10', '1e3', ' 1', '', 'Infinity', '1_000'])
    assert.deepEqual(substituteVariables({ port: '${X}' }, schema, () => odd).tree, { port: odd });
});
