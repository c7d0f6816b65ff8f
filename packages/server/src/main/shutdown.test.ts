import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../core/log.ts';
import { createShutdownController, ShutdownState } from './shutdown.ts';

test('monitoring stops as soon as the listeners are closed, although other background work continues', async () => {
  const events: string[] = [];
  const closable = (name: string) => ({
    async close() {
      events.push(name);
    },
  });
  const monitoring = {
    async stop() {
      events.push('monitoring');
    },
  };
  const isRetentionClosing = Promise.withResolvers<void>();
  const targets = {
    ...{ watch: closable('watch'), anchors: closable('anchors'), address: closable('address') },
    ...{ delivery: closable('delivery'), api: closable('api'), sessions: closable('sessions') },
    retention: {
      close() {
        isRetentionClosing.resolve();
        return new Promise(() => undefined);
      },
    },
    listening: {
      announceClose: () => undefined,
      drain() {
        events.push('listeners');
        return new Promise(() => undefined);
      },
    },
  };
  const controller = createShutdownController(
    { monitoring, log: silentLog } as never,
    new ShutdownState(),
    targets as never,
    () => ({ shutdown_delay_ms: 0, drain_timeout_ms: 1 }),
  );
  void controller.start('SIGINT');
  await isRetentionClosing.promise;
  assert.deepEqual(events.slice(0, 2), ['listeners', 'monitoring']);
});
