import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createLogSpy } from '../store/test/log-spy.ts';
import { ShutdownSteps } from './shutdown-steps.ts';

test('the error of a part that is late does not make the shutdown fail', async () => {
  const clock = new FakeClock();
  const log = createLogSpy();
  const steps = new ShutdownSteps(clock, log);
  const part = Promise.withResolvers<void>();
  const step = steps.run('database', 1_000, [part.promise]);
  clock.advance(1_000);
  await step;
  part.reject(new Error('the connection was closed'));
  await steps.run('connections', 1_000, [Promise.resolve()]);
  steps.finish();
  assert.match(JSON.stringify(log.lines), /"steps":\["database"\]/);
});

test('each error of a step is reported, and further steps run', async () => {
  const log = createLogSpy();
  const steps = new ShutdownSteps(new FakeClock(), log);
  await steps.run('last_writes', 1_000, [Promise.reject(new Error('one')), Promise.reject(new Error('two'))]);
  await steps.run('connections', 1_000, [Promise.resolve()]);
  assert.throws(() => steps.finish(), /one/);
  assert.match(String(Object(log.lines[0]?.fields)['err']), /two/);
});
