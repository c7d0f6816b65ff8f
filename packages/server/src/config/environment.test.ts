import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from './config-problem.ts';
import { readEnvironment } from './environment.ts';

test('an empty environment results in the defaults and overrides nothing', () => {
  const environment = readEnvironment({});
  assert.equal(environment.dataDir, './.floe');
  assert.equal(environment.logLevel, 'info');
  assert.equal(environment.secretKey, undefined);
  assert.deepEqual(environment.overrides, []);
});

test('an empty variable counts as unset', () => {
  const environment = readEnvironment({ FLOE_PORT: '', FLOE_LOG_LEVEL: '', FLOE_DATA_DIR: '' });
  assert.deepEqual(environment.overrides, []);
  assert.equal(environment.dataDir, './.floe');
});

test('an unknown variable is reported with the nearest known name', () => {
  const { unknown } = readEnvironment({ FLOE_PROT: '1', FLOE_ZEBRA: '1', FLOE_TEST_FULL: '1', PATH: '/bin' });
  assert.deepEqual(unknown, [
    { name: 'FLOE_PROT', nearest: 'FLOE_PORT' },
    { name: 'FLOE_ZEBRA', nearest: undefined },
  ]);
});

test('a short secret key and an unknown log level are rejected together, without their values', () => {
  const start = () => readEnvironment({ FLOE_SECRET_KEY: 'tooshort', FLOE_LOG_LEVEL: 'loud' });
  assert.throws(start, (error) => {
    assert.ok(error instanceof ConfigError);
    assert.deepEqual(
      error.problems.map(({ where }) => where),
      ['FLOE_LOG_LEVEL', 'FLOE_SECRET_KEY'],
    );
    assert.doesNotMatch(error.message, /tooshort|loud/);
    return true;
  });
  assert.equal(readEnvironment({ FLOE_SECRET_KEY: 'x'.repeat(32) }).secretKey?.length, 32);
});
