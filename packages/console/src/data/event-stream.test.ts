import assert from 'node:assert/strict';
import { after, beforeEach, mock, test } from 'node:test';
import type { EventStream as Stream } from './event-stream.ts';

class FakeSource {
  static readonly CLOSED = 2;
  static opened: FakeSource[] = [];
  readyState = 0;
  onopen: () => void = () => undefined;
  onerror: () => void = () => undefined;
  constructor() {
    FakeSource.opened.push(this);
  }
  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
  addEventListener(): void {
    // The tests send no events.
  }
  refuse(): void {
    this.readyState = FakeSource.CLOSED;
    this.onerror();
  }
}

class FakeChannel {
  onmessage = null;
  postMessage(): void {
    // There is no other tab.
  }
}

Object.assign(globalThis, {
  document: { baseURI: 'http://localhost/' },
  EventSource: FakeSource,
  BroadcastChannel: FakeChannel,
});
Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
const { EventStream } = await import('./event-stream.ts');

const HOUR_MS = 3_600_000;
/** The time of the browser. While the computer sleeps, it advances without the timers. */
let nowMs = 0;
mock.method(Date, 'now', () => nowMs);
after(() => mock.reset());

let stream: Stream;
beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  FakeSource.opened = [];
  stream = new EventStream();
});
function tick(ms: number): void {
  for (let left = ms; left > 0; left -= 10) {
    nowMs += 10;
    mock.timers.tick(10);
  }
}
const last = () => {
  const source = FakeSource.opened.at(-1);
  assert.ok(source);
  return source;
};

test('a stream that is rejected again and again is tried at most once a minute, and at once for a new subscriber', () => {
  stream.listen('config', () => undefined);
  tick(20);
  for (let ms = 0; ms < HOUR_MS; ms += 1000) {
    if (last().readyState !== FakeSource.CLOSED) last().refuse();
    tick(1000);
  }
  const attempts = FakeSource.opened.length;
  assert.ok(attempts > 50 && attempts < 70, String(attempts));
  if (last().readyState !== FakeSource.CLOSED) last().refuse();
  stream.listen('config', () => undefined);
  tick(20);
  assert.notEqual(last().readyState, FakeSource.CLOSED);
});

test('after sleep, the time of the last update is when the stream last sent data', () => {
  for (const isReported of [true, false]) {
    const slept = new EventStream();
    slept.listen('config', () => undefined);
    tick(20);
    last().onopen();
    const heardAt = nowMs;
    nowMs += 2 * HOUR_MS;
    // The browser can report the lost connection, or the stream notices its silence.
    if (isReported) last().onerror();
    tick(20_000);
    assert.equal(slept.connection, 'reconnecting');
    assert.equal(slept.lostAt, heardAt);
  }
});
