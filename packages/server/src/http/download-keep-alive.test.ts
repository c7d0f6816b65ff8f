import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { fillSilenceWithSpaces } from './download-keep-alive.ts';

/** Chunks that the test sends one by one. */
function createSource() {
  const waiting: PromiseWithResolvers<IteratorResult<string>>[] = [];
  const next = () => {
    const asked = Promise.withResolvers<IteratorResult<string>>();
    waiting.push(asked);
    return asked.promise;
  };
  let isClosed = false;
  const close = async (): Promise<IteratorResult<string>> => {
    isClosed = true;
    return { done: true, value: undefined };
  };
  return {
    chunks: { [Symbol.asyncIterator]: () => ({ next, return: close }) },
    send: (value: string) => waiting.shift()?.resolve({ done: false, value }),
    fail: (error: Error) => waiting.shift()?.reject(error),
    end: () => waiting.shift()?.resolve({ done: true, value: undefined }),
    isClosed: () => isClosed,
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an export without matches sends spaces, and every line stays valid JSON', async () => {
  const clock = new FakeClock();
  const source = createSource();
  const received: string[] = [];
  const reading = (async () => {
    for await (const chunk of fillSilenceWithSpaces(source.chunks, clock)) received.push(chunk);
  })();
  for (let minute = 0; minute < 4; minute += 1) {
    await turn();
    clock.advance(15_000);
  }
  await turn();
  assert.equal(received.join(''), '    ');
  source.send('{"a":1}\n{"b":2}\n');
  await turn();
  clock.advance(14_999);
  await turn();
  // An empty page is not sent, so the silence goes on.
  source.send('');
  await turn();
  clock.advance(1);
  await turn();
  source.send('{"c":3}\n');
  await turn();
  source.end();
  await reading;
  const text = received.join('');
  assert.equal(text, '    {"a":1}\n{"b":2}\n {"c":3}\n');
  assert.deepEqual(
    text
      .trimEnd()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line))),
    [['a'], ['b'], ['c']],
  );
});

test('many empty pages in a row are silence too', async () => {
  const clock = new FakeClock();
  async function* pages() {
    for (let page = 0; page < 60; page += 1) {
      clock.advance(1_000);
      yield '';
    }
    yield '{"a":1}\n';
  }
  let text = '';
  for await (const chunk of fillSilenceWithSpaces(pages(), clock)) text += chunk;
  assert.equal(text, '    {"a":1}\n');
});

test('no space is sent within a line', async () => {
  const clock = new FakeClock();
  async function* pieces() {
    yield '{"a":"b';
    clock.advance(60_000);
    yield '';
    yield 'c"}\n';
  }
  let text = '';
  for await (const chunk of fillSilenceWithSpaces(pieces(), clock)) text += chunk;
  assert.equal(text, '{"a":"bc"}\n');
});

test('an error of the source ends the file, and a reader that stops closes the source', async () => {
  const clock = new FakeClock();
  const failing = createSource();
  const reading = fillSilenceWithSpaces(failing.chunks, clock);
  const next = reading.next();
  await turn();
  failing.fail(new Error('the database is gone'));
  await assert.rejects(next, /the database is gone/);

  const left = createSource();
  const leaving = fillSilenceWithSpaces(left.chunks, clock);
  const waiting = leaving.next();
  await turn();
  clock.advance(15_000);
  assert.deepEqual(await waiting, { done: false, value: ' ' });
  await leaving.return(undefined);
  assert.equal(left.isClosed(), true);
  left.fail(new Error('nobody reads this'));
  await turn();
});
