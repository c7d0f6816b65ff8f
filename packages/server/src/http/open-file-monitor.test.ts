import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createLogSpy } from '../store/test/log-spy.ts';
import { OpenFileMonitor } from './open-file-monitor.ts';

function open(limit: number | null) {
  const clock = new FakeClock();
  const log = createLogSpy();
  const state = { openFiles: 10, probes: 0 };
  const probe = () => {
    state.probes += 1;
    return state.openFiles;
  };
  return { clock, state, lines: log.lines, monitor: new OpenFileMonitor({ clock, log, limit, probe }) };
}

test('connections are rejected while less than a tenth of the open files is free', () => {
  const { clock, state, lines, monitor } = open(100);
  assert.equal(monitor.admit(), true);
  state.openFiles = 91;
  clock.advance(100);
  assert.equal(monitor.admit(), false);
  assert.match(String(Object(lines[0]?.fields)['err']), /open files: 91 of 100/);
  assert.match(JSON.stringify(lines), /increase the limit/);
  state.openFiles = 90;
  clock.advance(100);
  assert.equal(monitor.admit(), true);
});

test('a shortage is logged once per minute, even without connections', () => {
  const { clock, state, lines, monitor } = open(null);
  monitor.start();
  state.openFiles = Number.POSITIVE_INFINITY;
  for (let seconds = 0; seconds < 90; seconds++) clock.advance(1_000);
  assert.equal(lines.length, 2);
  monitor.close();
  clock.advance(10_000);
  assert.equal(state.probes, 90);
});

test('many connections at once cause few checks', () => {
  const { state, monitor } = open(1_000);
  for (let n = 0; n < 160; n++) monitor.admit();
  assert.ok(state.probes <= 11, `${state.probes}`);
});
