import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCliOptions } from './parse-options.ts';

const options = {
  name: { type: 'string', short: 'n' },
  enabled: { type: 'boolean' },
} as const;

test('mistakes in options are sentences', () => {
  for (const [args, message] of [
    [['--nmae', 'x'], 'Unknown option --nmae. Did you mean --name?'],
    [['--id'], 'Unknown option --id. Use --help to list the options.'],
    [['-x'], 'Unknown option -x. Use --help to list the options.'],
    [['--name'], '--name requires a value. If the value starts with "-", write --name=<value>.'],
    [['-n'], '--name requires a value. If the value starts with "-", write --name=<value>.'],
    [['--name', '-1'], '--name requires a value. If the value starts with "-", write --name=<value>.'],
    [['--enabled=yes'], '--enabled takes no value. Use --enabled or --no-enabled.'],
    [['more'], 'Unexpected argument "more".'],
  ] as const)
    assert.throws(() => parseCliOptions({ args: [...args], options, allowNegative: true }), {
      name: 'UsageError',
      message,
    });
  assert.throws(() => parseCliOptions({ args: ['--enabled=yes'], options }), {
    message: '--enabled takes no value.',
  });
  assert.deepEqual({ ...parseCliOptions({ args: ['-n', 'x'], options }).values }, { name: 'x' });
});
