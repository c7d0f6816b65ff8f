import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextEventLoopTurn } from './fake-clock.ts';
import { TestGate } from './gate.ts';

function passing(gate: TestGate, signal?: AbortSignal): { passed: boolean } {
  const state = { passed: false };
  void gate.pass(signal).then(() => {
    state.passed = true;
  });
  return state;
}

test('releases let waiters through in the order they came, one each', async () => {
  const gate = new TestGate();
  const waiters = [passing(gate), passing(gate), passing(gate)];
  gate.release(2);
  await nextEventLoopTurn();
  assert.deepEqual(
    waiters.map(({ passed }) => passed),
    [true, true, false],
  );
});

test('a release before anybody came is kept for the next to come', async () => {
  const gate = new TestGate();
  gate.release();
  const waiters = [passing(gate), passing(gate)];
  await nextEventLoopTurn();
  assert.deepEqual(
    waiters.map(({ passed }) => passed),
    [true, false],
  );
});

test('an open gate holds nobody', async () => {
  const gate = new TestGate();
  const before = passing(gate);
  gate.open();
  const later = passing(gate);
  await nextEventLoopTurn();
  assert.ok(before.passed && later.passed);
});

test('no release is spent on a waiter that has left', async () => {
  const gate = new TestGate();
  const leaving = new AbortController();
  void gate.pass(leaving.signal);
  const staying = passing(gate);
  leaving.abort();
  gate.release();
  await nextEventLoopTurn();
  assert.equal(staying.passed, true);
});

test('arrivals are counted from the start, and can be awaited before they happen', async () => {
  const gate = new TestGate();
  const second = gate.arrivalCount(2);
  void gate.pass();
  void gate.pass();
  await second;
  await gate.arrivalCount(1);
});
