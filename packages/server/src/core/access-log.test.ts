import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AccessLogWriter, formatMilliseconds, quoteJson } from './access-log.ts';

function createWriter() {
  const written: string[] = [];
  /** What was written since the last drain, and its text at that time. */
  const lent: { bytes: Buffer; text: string }[] = [];
  const timers: (() => void)[] = [];
  const reader = { isFast: true, drained: (): void => undefined };
  const writer = new AccessLogWriter({
    destination: {
      write(bytes) {
        written.push(bytes.toString());
        lent.push({ bytes, text: bytes.toString() });
        return reader.isFast;
      },
      onDrain(callback) {
        reader.drained = callback;
      },
      flushSync: () => undefined,
    },
    settings: () => ({ enabled: true, sample: 1 }),
    clock: {
      now: () => 0,
      after(ms, callback) {
        assert.equal(ms, 100);
        timers.push(callback);
        return { cancel: () => undefined };
      },
    },
    random: () => 0,
  });
  return { writer, written, lent, timers, reader };
}

test('lines are written every 100 ms, and the remaining lines at the end', () => {
  const { writer, written, timers } = createWriter();
  writer.write('a\n');
  writer.write('b\n');
  assert.deepEqual(written, []);
  assert.equal(timers.length, 1);
  timers[0]?.();
  writer.write('c\n');
  writer.close();
  assert.deepEqual(written, ['a\nb\n', 'c\n']);
});

test('if the reader stops, 8 MB of lines are buffered and further lines are dropped', () => {
  const { writer, written, reader } = createWriter();
  const line = `${'x'.repeat(1023)}\n`;
  reader.isFast = false;
  for (let n = 0; n < 20_000; n += 1) writer.write(line);
  assert.equal(written.length, 1);
  reader.drained();
  const lines = written.slice(1).join('').split('\n');
  assert.deepEqual(lines.pop(), '');
  const { lines: dropped, ...report } = JSON.parse(lines.pop() ?? '');
  assert.deepEqual(report, {
    level: 'warn',
    time: '1970-01-01T00:00:00.000Z',
    msg: 'access log lines were dropped because the log output was not read fast enough',
  });
  assert.ok(Math.abs(lines.length * line.length - 8 * 1024 * 1024) <= 2048);
  // The first batch was written before the reader was known to be slow.
  assert.equal((written[0]?.length ?? 0) / line.length + lines.length + dropped, 20_000);
});

test('text is valid JSON, whatever it contains', () => {
  for (const text of ['plain', 'a "b" \\ c', 'line\nbreak', 'ü\u2028', ''])
    assert.equal(JSON.parse(quoteJson(text)), text);
  assert.equal(quoteJson(null), 'null');
});

test('every line is written once and in order, for any length and any speed of the reader', () => {
  const line = fc.oneof(
    { weight: 9, arbitrary: fc.string({ unit: 'binary', maxLength: 900 }) },
    { weight: 1, arbitrary: fc.constantFrom('ü'.repeat(40_000), 'x'.repeat(90_000), 'y'.repeat(30_000)) },
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: line },
    { weight: 1, arbitrary: fc.constantFrom('#timer', '#drain', '#slow', '#fast') },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { writer, written, lent, timers, reader } = createWriter();
      const expected: string[] = [];
      for (const one of steps) {
        if (one === '#timer') {
          for (const run of timers.splice(0)) run();
        } else if (one === '#drain') drain(lent, reader);
        else if (one === '#slow' || one === '#fast') reader.isFast = one === '#fast';
        else {
          expected.push(Buffer.from(one).toString());
          writer.write(one);
        }
      }
      writer.close();
      assert.equal(written.join(''), expected.join(''));
      for (const { bytes, text } of lent)
        assert.equal(bytes.toString(), text, 'changed before it was written');
    }),
  );
});

function drain(
  lent: { readonly bytes: Buffer; readonly text: string }[],
  reader: { drained: () => void },
): void {
  for (const { bytes, text } of lent.splice(0)) assert.equal(bytes.toString(), text);
  reader.drained();
}

test('durations have up to two decimal places', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e13, noNaN: true }), (ms) => {
      assert.equal(formatMilliseconds(ms), JSON.stringify(Math.round(ms * 100) / 100));
    }),
  );
});
