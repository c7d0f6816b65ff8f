import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { JobOutputCopier, waitForRemainingOutput } from './job-output-copier.ts';
import { OutputTail } from './output-tail.ts';

const never = new Promise<void>(() => undefined);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A reader of our output that accepts one part for each call of `accept`. */
function createSlowReader() {
  const waiting: (() => void)[] = [];
  const accepted: Buffer[] = [];
  const to = new Writable({
    highWaterMark: 1,
    write(part: Buffer, _, done) {
      waiting.push(() => {
        accepted.push(part);
        done();
      });
    },
  });
  return { to, accept: () => waiting.shift()?.(), text: () => Buffer.concat(accepted).toString() };
}

test('output that a job wrote before its end is copied completely, however slow the reader is', async () => {
  const from = new PassThrough();
  const reader = createSlowReader();
  const copy = new JobOutputCopier(from, reader.to, new OutputTail(8));
  for (let part = 0; part < 5; part++) from.write(`part ${part};`);
  let waits = 0;
  await waitForRemainingOutput([copy], never, async () => {
    await nextTurn();
    // The reader takes much longer for each part than a silent job may take.
    if (waits++ % 100 === 99) reader.accept();
    assert.ok(waits < 10_000);
  });
  assert.equal(reader.text(), 'part 0;part 1;part 2;part 3;part 4;');
});

test('a daemon that keeps the output of an ended job open delays the end by one second, or one megabyte', async () => {
  for (const [output, expected] of [
    ['', 20],
    ['x'.repeat(100_000), 11],
  ] as const) {
    const from = new PassThrough();
    const to = new PassThrough().resume();
    const copy = new JobOutputCopier(from, to, new OutputTail(8));
    let waits = 0;
    await waitForRemainingOutput([copy], never, async () => {
      waits += 1;
      if (output !== '') from.write(output);
      await nextTurn();
    });
    assert.equal(waits, expected);
  }
});
