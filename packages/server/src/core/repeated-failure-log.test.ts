import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { RepeatedFailureLog } from './repeated-failure-log.ts';

test('an outage of an hour writes one line per minute and one line at its end', () => {
  const clock = new FakeClock();
  const lines: { level: string; message: string; failures?: number }[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, ...('failures' in fields ? { failures: Number(fields.failures) } : {}) });
  };
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const warning = new RepeatedFailureLog(log, clock, {
    failed: 'poll failed',
    recovered: 'poll works again',
  });

  warning.succeed();
  assert.deepEqual(lines, []);
  for (let second = 0; second < 3_600; second++) {
    warning.fail(new Error('no database'));
    clock.advance(1_000);
  }
  assert.equal(lines.length, 60);
  assert.deepEqual(lines[0], { level: 'warn', message: 'poll failed', failures: 1 });
  assert.deepEqual(lines[1], { level: 'warn', message: 'poll failed', failures: 60 });
  warning.succeed();
  warning.succeed();
  assert.deepEqual(lines.slice(60), [{ level: 'info', message: 'poll works again' }]);
  warning.fail(new Error('no database'));
  assert.deepEqual(lines[61], { level: 'warn', message: 'poll failed', failures: 1 });
});
