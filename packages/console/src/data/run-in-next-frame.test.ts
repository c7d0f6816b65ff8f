import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNextFrame } from './run-in-next-frame.ts';

test('work of one frame is done as one step, in the order it came; what comes then waits for the next', (t) => {
  const frames: (() => void)[] = [];
  const timers = t.mock.timers;
  timers.enable({ apis: ['setTimeout'] });
  Object.assign(globalThis, {
    requestAnimationFrame: (run: () => void) => frames.push(run),
    cancelAnimationFrame: () => undefined,
  });
  const done: string[] = [];
  runInNextFrame(() => {
    done.push('one');
    runInNextFrame(() => done.push('later'));
  });
  runInNextFrame(() => done.push('two'));
  assert.deepEqual([done.length, frames.length], [0, 1]);
  frames[0]?.();
  assert.deepEqual(done, ['one', 'two']);
  // A tab that is hidden has no frames.
  timers.tick(50);
  assert.deepEqual(done, ['one', 'two', 'later']);
});
