import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { silentLog } from '../core/log.ts';
import { recordUnhandledRejections } from './unhandled-rejections.ts';

/** Removes the listener of the test runner, which fails the test, until the test ends. */
function replaceListeners(t: TestContext): void {
  const before = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  t.after(() => {
    process.removeAllListeners('unhandledRejection');
    for (const listener of before) process.on('unhandledRejection', listener);
  });
}

test('a rejection that nothing handles is logged as an error and counted, and the process continues', async (t) => {
  replaceListeners(t);
  const logged: unknown[] = [];
  let count = 0;
  const log = {
    ...silentLog,
    error: (fields: object, text: string) => void logged.push({ ...fields, text }),
  };
  recordUnhandledRejections(log, () => {
    count += 1;
  });
  const error = new Error('nothing handles this error');
  void Promise.reject(error);
  await nextEventLoopTurn();
  assert.deepEqual(logged, [{ err: error, text: 'error was not handled; this is a bug in Floe' }]);
  assert.equal(count, 1);
});
