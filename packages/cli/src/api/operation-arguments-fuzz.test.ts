// Calls every option of every operation with values of every kind. A value that cannot be parsed is a usage error in one line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../usage-error.ts';
import { type ApiOperation, listPathParameterNames, loadApiOperations } from './api-operations.ts';
import { parseOperationArguments, toOptionName } from './operation-arguments.ts';

const VALUES = [
  '',
  ' ',
  'text',
  'constructor',
  '__proto__',
  '-1',
  '1.5',
  '1e400',
  'NaN',
  '9'.repeat(400),
  'true',
  'null',
  '[]',
  '{}',
  '[null]',
  '{"a":1}',
  '[',
  '\u0000',
  ',',
  ',,',
  'a,b',
  '=',
  'a=',
  '=b',
  '--',
  '-',
  '@file',
  '../..',
];

const verbs = Object.entries(loadApiOperations()).flatMap(([subject, all]) =>
  Object.entries(all).map(([verb, operation]) => ({ name: `${subject} ${verb}`, operation })),
);

function mustBeReadable(operation: ApiOperation, args: readonly string[]): void {
  try {
    const { path } = parseOperationArguments(operation, args);
    assert.equal(typeof path, 'string');
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    assert.ok(!error.message.includes('\n    at '));
  }
}

/** Values of each option; the next option gets the next ones, so that every value comes to every kind of option. */
const AT_ONCE = 5;

test('every value of every option is parsed or rejected as a usage error', () => {
  assert.ok(verbs.length > 100);
  let next = 0;
  for (const { name, operation } of verbs) {
    const given = listPathParameterNames(operation).map(() => 'none');
    const options = [
      ...Object.keys(operation.takes).map(toOptionName),
      'filter',
      'unset',
      'idempotency-key',
      'nobody-knows',
    ];
    for (const option of options)
      for (let n = 0; n < AT_ONCE; n++) {
        const value = VALUES[next % VALUES.length] ?? '';
        next += 1;
        for (const args of [
          [`--${option}`, value],
          [`--${option}=${value}`, `--${option}=x`],
          [value, value],
        ])
          assert.doesNotThrow(
            () => mustBeReadable(operation, [...given, ...args]),
            `${name} ${args.join(' ')}`,
          );
      }
  }
});
