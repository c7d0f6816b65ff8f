import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessLogWriter, quoteJson } from './access-log.ts';

function createWriter() {
  const written: string[] = [];
  const timers: (() => void)[] = [];
  const reader = { isFast: true, drained: (): void => undefined };
  const writer = new AccessLogWriter({
    destination: {
      write(text) {
        written.push(text);
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
  return { writer, written, timers, reader };
}

test('lines of 100 ms are written together, and the rest at the end', () => {
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

test('of a reader that stopped, 8 MB of lines are kept and further ones are dropped', () => {
  const { writer, written, reader } = createWriter();
  const line = `${'x'.repeat(1023)}\n`;
  reader.isFast = false;
  for (let n = 0; n < 20_000; n += 1) writer.write(line);
  assert.equal(written.length, 1);
  reader.drained();
  assert.equal(written.length, 2);
  const lines = written[1]?.split('\n') ?? [];
  assert.deepEqual(lines.pop(), '');
  const { lines: dropped, ...report } = JSON.parse(lines.pop() ?? '');
  assert.deepEqual(report, {
    level: 'warn',
    time: '1970-01-01T00:00:00.000Z',
    msg: 'access log lines were dropped',
  });
  assert.ok(Math.abs(lines.length * line.length - 8 * 1024 * 1024) <= 2048);
  // The first batch was written before the reader was known to be slow.
  assert.equal((written[0]?.length ?? 0) / line.length + lines.length + dropped, 20_000);
});

test('texts are JSON, whatever they contain', () => {
  for (const text of ['plain', 'a "b" \\ c', 'line\nbreak', 'ü\u2028', ''])
    assert.equal(JSON.parse(quoteJson(text)), text);
  assert.equal(quoteJson(null), 'null');
});
