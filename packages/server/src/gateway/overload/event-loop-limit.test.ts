import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLoopLimiter } from './event-loop-limiter.ts';

const MAXIMUM = 10_000;

/** An event loop that runs due timers once per turn, as Node.js does. */
class SimulatedEventLoop {
  nowMs = 0;
  #timers: { readonly dueMs: number; readonly callback: () => void }[] = [];

  readonly clock = {
    now: () => this.nowMs,
    monotonic: () => this.nowMs,
    after: (ms: number, callback: () => void) => {
      const timer = { dueMs: this.nowMs + ms, callback };
      this.#timers.push(timer);
      const cancel = () => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      };
      return { cancel };
    },
  };

  get hasTimers(): boolean {
    return this.#timers.length > 0;
  }

  /** One turn whose work takes `ms`. */
  turn(ms: number): void {
    this.nowMs += ms;
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.nowMs);
    this.#timers = this.#timers.filter(({ dueMs }) => dueMs > this.nowMs);
    for (const { callback } of due) callback();
  }
}

function start(used: number) {
  const loop = new SimulatedEventLoop();
  const target = { used, maximum: MAXIMUM, limit: MAXIMUM };
  const limit = new EventLoopLimiter(target, loop.clock, 20);
  assert.ok(limit.admitsNow('acme'));
  return { loop, target, limit };
}

interface SimulatedLoad {
  readonly clients: number;
  readonly msPerRequest: number;
  readonly turns: number;
}

/** Clients whose requests need an upstream, and that send the next one at once. */
function runClients(
  { loop, target, limit }: ReturnType<typeof start>,
  { clients, msPerRequest, turns }: SimulatedLoad,
): number[] {
  const turnsMs: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    limit.admitsNow('acme');
    target.used = Math.min(clients, target.limit);
    const ms = target.used * msPerRequest;
    turnsMs.push(ms);
    loop.turn(ms);
  }
  return turnsMs;
}

test('a saturated event loop lowers the limit until its delay is permitted, and keeps it near there', () => {
  const server = start(2_000);
  const turnsMs = runClients(server, { clients: 2_000, msPerRequest: 0.1, turns: 2_000 });
  const settled = turnsMs.slice(200);
  // A timer is due 5 ms after the start of a turn, so a delay of 20 ms is a turn of 25 ms.
  assert.ok(Math.max(...settled) < 32, `the longest turn took ${Math.max(...settled)} ms`);
  const average = settled.reduce((sum, each) => sum + each, 0) / settled.length;
  assert.ok(average > 15, `turns of ${average} ms on average: too much was rejected`);
});

test('the limit returns to its maximum when the load ends, and the measurement stops', () => {
  const server = start(2_000);
  runClients(server, { clients: 2_000, msPerRequest: 0.1, turns: 200 });
  assert.ok(server.target.limit < 1_000);
  server.target.used = 0;
  for (let turn = 0; turn < 10_000 && server.loop.hasTimers; turn++) server.loop.turn(5);
  assert.equal(server.target.limit, MAXIMUM);
  assert.equal(server.loop.hasTimers, false);
});

test('single long tasks do not lower the limit', () => {
  const { loop, target } = start(500);
  for (let turn = 0; turn < 2_000; turn++) loop.turn(turn % 50 === 0 ? 150 : 5);
  assert.equal(target.limit, MAXIMUM);
  // A very long one, alone.
  loop.turn(5_000);
  for (let turn = 0; turn < 100; turn++) loop.turn(5);
  assert.equal(target.limit, MAXIMUM);
});

test('a machine that was suspended repeatedly is not overloaded', () => {
  const { loop, target, limit } = start(500);
  for (let turn = 0; turn < 20; turn++) {
    loop.turn(3_600_000);
    loop.turn(5);
    assert.ok(limit.admitsNow('acme'));
  }
  assert.equal(target.limit, MAXIMUM);
});

test('clients that all wait for the same turn of the event loop do not hide its delay', () => {
  const { loop, target } = start(500);
  for (let turn = 0; turn < 20; turn++) {
    loop.turn(500);
    // Nothing to do until the clients have sent their next requests.
    loop.turn(5);
  }
  assert.ok(target.limit < 500);
});

test('a turn that already takes too long admits no further requests that are complete at its end', () => {
  const { loop, target, limit } = start(0);
  const turnsMs: number[] = [];
  for (let turn = 0; turn < 500; turn++) {
    const from = loop.nowMs;
    // Each of 300 requests is processed at once in this turn.
    for (let n = 0; n < 300; n++) if (limit.admitsNow('acme')) loop.nowMs += 1;
    turnsMs.push(loop.nowMs - from);
    loop.turn(0);
    // The clients receive their responses.
    loop.turn(6);
  }
  const settled = turnsMs.slice(20);
  assert.ok(Math.max(...turnsMs.slice(0, 2)) === 300);
  assert.ok(Math.min(...settled) >= 20, 'the time that is permitted is used');
  assert.ok(settled.filter((ms) => ms > 64).length < settled.length / 4, settled.join());
  assert.equal(target.used, 0);
});

test('exchanges that were admitted before have time to end before a further reduction', () => {
  const { loop, target } = start(1_000);
  for (let turn = 0; turn < 18; turn++) loop.turn(60);
  assert.equal(target.limit, 500);
  // They continue for longer than that time, and the event loop remains saturated.
  for (let turn = 0; turn < 20; turn++) loop.turn(60);
  assert.equal(target.limit, 250);
});

test('the limit never falls below 64', () => {
  const server = start(2_000);
  runClients(server, { clients: 2_000, msPerRequest: 2, turns: 500 });
  assert.equal(server.target.limit, 64);
});

test('without requests there is no timer, and 0 disables the limit', () => {
  const { loop } = start(0);
  for (let turn = 0; turn < 100; turn++) loop.turn(5);
  assert.equal(loop.hasTimers, false);
  const limit = new EventLoopLimiter({ used: 5_000, maximum: MAXIMUM, limit: MAXIMUM }, loop.clock, 0);
  assert.ok(limit.admitsNow('acme'));
  assert.equal(loop.hasTimers, false);
});
