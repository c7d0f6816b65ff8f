import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { createBodyClient } from '../test/body-client.ts';
import { UploadStream } from './upload-stream.ts';

function startUpload() {
  const clock = new FakeClock();
  const incoming = new PassThrough({ highWaterMark: 1 << 20 });
  const upload = new UploadStream(createBodyClient({ incoming }), clock);
  const faults: unknown[] = [];
  upload.on('error', (error) => faults.push(error instanceof Fault ? error.code : error));
  /** Sends `bytes`, which arrive immediately. */
  const send = async (bytes: number) => {
    incoming.write(Buffer.alloc(bytes));
    await nextEventLoopTurn();
  };
  return { clock, incoming, upload, faults, send };
}

/** Sends `bytes` per second. Returns the second of the timeout, or null if there is none in an hour. */
async function findTimeout(bytes: number): Promise<number | null> {
  const { clock, upload, faults, send } = startUpload();
  upload.resume();
  await nextEventLoopTurn();
  for (let second = 1; second <= 3_600; second++) {
    clock.advance(1_000);
    await nextEventLoopTurn();
    if (faults.length > 0) {
      assert.deepEqual(faults, ['request_timeout']);
      return second;
    }
    await send(bytes);
  }
  upload.destroy();
  return null;
}

test('an upload below 1 KB per second on average after the first 30 seconds times out', async () => {
  // The deadline is 30 s, and one second for each KB that has arrived before it.
  assert.equal(await findTimeout(512), 59);
  assert.equal(await findTimeout(1), 31);
  assert.equal(await findTimeout(1_024), null);
});

test('time in which the provider reads nothing does not count, and the deadline applies afterwards', async () => {
  const { clock, upload, faults, send } = startUpload();
  upload.read();
  await nextEventLoopTurn();
  await send(1 << 19);
  assert.deepEqual(clock.pending(), [], 'the client waits for the provider');
  clock.advance(3_600_000);
  assert.deepEqual(faults, []);
  upload.resume();
  await nextEventLoopTurn();
  clock.advance(29_999);
  await nextEventLoopTurn();
  assert.deepEqual(faults, []);
  clock.advance(1);
  await nextEventLoopTurn();
  assert.deepEqual(faults, ['request_timeout']);
});

test('a complete upload has no deadline', async () => {
  const { clock, incoming, upload, faults, send } = startUpload();
  upload.resume();
  await nextEventLoopTurn();
  await send(10);
  incoming.end();
  await nextEventLoopTurn();
  await nextEventLoopTurn();
  assert.equal(upload.readableEnded, true);
  assert.deepEqual(clock.pending(), []);
  assert.deepEqual(faults, []);
});

test('the last chunk is forwarded only after the verification of the whole body', async () => {
  for (const error of [null, new Fault('not_found', 'x')]) {
    const verified = Promise.withResolvers<void>();
    const incoming = new PassThrough();
    const verify = () => verified.promise;
    const inspection = { push: () => undefined, end: () => undefined, verify };
    const upload = new UploadStream(createBodyClient({ incoming }), new FakeClock(), inspection);
    const received: string[] = [];
    const failures: unknown[] = [];
    upload.on('data', (chunk: Buffer) => received.push(chunk.toString()));
    upload.on('error', (failure) => failures.push(failure));
    for (const piece of ['a', 'b', 'c']) {
      incoming.write(piece);
      await nextEventLoopTurn();
    }
    incoming.end();
    await nextEventLoopTurn();
    await nextEventLoopTurn();
    assert.deepEqual(received, ['a', 'b']);
    if (error) verified.reject(error);
    else verified.resolve();
    await nextEventLoopTurn();
    await nextEventLoopTurn();
    assert.deepEqual(received, error ? ['a', 'b'] : ['a', 'b', 'c']);
    assert.deepEqual([failures, upload.readableEnded], error ? [[error], false] : [[], true]);
  }
});
