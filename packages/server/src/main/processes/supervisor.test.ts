import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../../core/log.ts';
import type { StartReport } from '../announce-start.ts';
import type { ProcessMessage, SupervisorMessage } from './process-messages.ts';
import type { ProcessExit, SupervisedProcess } from './process-slot.ts';
import { Supervisor } from './supervisor.ts';

const REPORT: StartReport = {
  info: {
    version: '1',
    localUrl: 'http://127.0.0.1:1',
    listeners: [],
    url: 'http://127.0.0.1:1',
    dataDir: '/data',
    configPath: null,
    providers: [],
  },
  firstRun: null,
  warnings: [],
  inactiveFields: [],
};

/** A process of a test, which does what the test says. */
class FakeProcess implements SupervisedProcess {
  readonly pid = 1;
  readonly number: number;
  readonly signals: string[] = [];
  readonly received: SupervisorMessage[] = [];
  #onMessage: (message: ProcessMessage) => void = () => undefined;
  #onExit: (exit: ProcessExit) => void = () => undefined;

  constructor(processNumber: number) {
    this.number = processNumber;
  }

  send(message: SupervisorMessage): void {
    this.received.push(message);
  }

  kill(signal: NodeJS.Signals): void {
    this.signals.push(signal);
  }

  onMessage(listener: (message: ProcessMessage) => void): void {
    this.#onMessage = listener;
  }

  onExit(listener: (exit: ProcessExit) => void): void {
    this.#onExit = listener;
  }

  async listen(): Promise<void> {
    await this.say({ type: 'listening', report: REPORT });
  }

  async say(message: ProcessMessage): Promise<void> {
    this.#onMessage(message);
    await nextTurn();
  }

  async end(code: number | null, signal: NodeJS.Signals | null = null): Promise<void> {
    this.#onExit({ code, signal });
    await nextTurn();
  }
}

function createSupervisor(count = 2) {
  const clock = new FakeClock();
  const forks: FakeProcess[] = [];
  const exits: number[] = [];
  const announced: StartReport[] = [];
  const supervisor = new Supervisor({
    count,
    clock,
    log: silentLog,
    fork(processNumber) {
      const fork = new FakeProcess(processNumber);
      forks.push(fork);
      return fork;
    },
    announce: (report) => void announced.push(report),
    exit: (code) => void exits.push(code),
  });
  const fork = (index: number): FakeProcess => {
    const found = forks[index];
    assert.ok(found, `fork ${index} of ${forks.length}`);
    return found;
  };
  return { supervisor, clock, forks, fork, exits, announced };
}

/** A supervisor with two processes that accept connections. */
async function createStartedSupervisor() {
  const parts = createSupervisor();
  void parts.supervisor.start();
  await parts.fork(0).listen();
  await parts.fork(1).listen();
  return parts;
}

const numbersOf = (forks: readonly FakeProcess[]) => forks.map(({ number }) => number);

test('the other processes start after the first one, and the start is announced once', async () => {
  const { supervisor, forks, fork, announced } = createSupervisor(3);
  void supervisor.start();
  assert.deepEqual(numbersOf(forks), [1]);
  await fork(0).listen();
  assert.deepEqual(numbersOf(forks), [1, 2, 3]);
  await fork(1).listen();
  assert.deepEqual(announced, []);
  await fork(2).listen();
  assert.deepEqual(announced, [REPORT]);
});

test('if the first start fails, the server exits with the exit code of the process', async () => {
  const { supervisor, forks, fork, exits } = createSupervisor();
  void supervisor.start();
  await fork(0).end(78);
  assert.deepEqual([forks.length, exits], [1, [78]]);
});

test('a process that crashes is started again after a delay that doubles up to 30 seconds', async () => {
  const { clock, forks, fork, exits } = await createStartedSupervisor();
  for (const delayMs of [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]) {
    const last = forks.length;
    await fork(last - 1).end(1);
    clock.advance(delayMs - 1);
    assert.equal(forks.length, last, `before ${delayMs} ms`);
    clock.advance(1);
    assert.deepEqual(numbersOf(forks.slice(last)), [2], `after ${delayMs} ms`);
  }
  assert.deepEqual(exits, [], 'the other process continues to serve');
  await fork(forks.length - 1).listen();
  clock.advance(60_000);
  const last = forks.length;
  await fork(last - 1).end(null, 'SIGKILL');
  clock.advance(100);
  assert.equal(forks.length, last + 1, 'a process that served for a minute restarts without a long delay');
});

test('if no process can be started, the server exits after five attempts', async () => {
  const { clock, forks, fork, exits } = await createStartedSupervisor();
  await fork(0).end(1);
  await fork(1).end(1);
  clock.advance(100);
  for (let failures = 1; failures <= 4; failures += 1) {
    const last = forks.length;
    await fork(last - 1).end(3);
    clock.advance(30_000);
    assert.equal(forks.length, last + 1, `${failures} failures`);
  }
  const first = forks.findLast(({ number }) => number === 1);
  await fork(forks.length - 1).end(3);
  assert.deepEqual(first?.signals, ['SIGTERM']);
  await first?.end(0);
  assert.deepEqual(exits, [3]);
});

test('a restart replaces one process at a time, and continues when its replacement accepts connections', async () => {
  const { supervisor, forks, fork } = await createStartedSupervisor();
  const restarted = supervisor.restart();
  assert.deepEqual([fork(0).received, fork(1).received], [[{ type: 'restart' }], []]);
  await supervisor.restart();
  assert.equal(fork(0).received.length, 1, 'a second request while it runs changes nothing');
  await fork(0).end(0);
  assert.deepEqual(numbersOf(forks), [1, 2, 1]);
  assert.deepEqual(fork(1).received, []);
  await fork(2).listen();
  assert.deepEqual(fork(1).received, [{ type: 'restart' }]);
  await fork(1).end(0);
  await fork(3).listen();
  await restarted;
  assert.deepEqual(numbersOf(forks), [1, 2, 1, 2]);
});

test('signals reach every process, and the server exits when all processes have exited', async () => {
  const { supervisor, clock, forks, fork, exits } = await createStartedSupervisor();
  supervisor.reload();
  supervisor.stop('SIGTERM');
  supervisor.stop('SIGTERM');
  assert.deepEqual(fork(0).signals, ['SIGHUP', 'SIGTERM', 'SIGTERM']);
  assert.deepEqual(fork(1).signals, ['SIGHUP', 'SIGTERM', 'SIGTERM']);
  await fork(0).end(0);
  assert.deepEqual(exits, []);
  await fork(1).end(0);
  clock.advance(60_000);
  assert.deepEqual([forks.length, exits], [2, [0]]);
});

test('a process that is starting reloads the configuration when it accepts connections', async () => {
  const { supervisor, clock, fork } = await createStartedSupervisor();
  await fork(0).end(1);
  clock.advance(100);
  await nextTurn();
  supervisor.reload();
  assert.deepEqual([fork(1).signals, fork(2).signals], [['SIGHUP'], []]);
  await fork(2).listen();
  assert.deepEqual(fork(2).signals, ['SIGHUP']);
});

test('a stop cancels the start of a process that crashed before', async () => {
  const { supervisor, clock, forks, fork, exits } = await createStartedSupervisor();
  await fork(0).end(1);
  supervisor.stop('SIGINT');
  await fork(1).end(0);
  clock.advance(60_000);
  assert.deepEqual([forks.length, exits], [2, [0]]);
});

const metricsText = (count: number) => `# TYPE requests_total counter\nrequests_total ${count}\n`;

test('metrics are the sum over all processes, and do not decrease when a process exits', async () => {
  const { supervisor, clock, fork } = await createStartedSupervisor();
  const scrape = async (asked: FakeProcess, request: number) => {
    await asked.say({ type: 'collect_metrics', request });
    return () => {
      const answer = asked.received.findLast((message) => message.type === 'collected_metrics');
      assert.ok(answer?.type === 'collected_metrics' && answer.request === request);
      return answer.text;
    };
  };
  const first = await scrape(fork(0), 11);
  await fork(0).say({ type: 'metrics', request: 1, text: metricsText(3) });
  await fork(1).say({ type: 'metrics', request: 1, text: metricsText(4) });
  assert.match(first(), /^requests_total 7$/m);
  assert.match(first(), /^floe_process_up\{process="2"\} 1$/m);

  await fork(1).say({ type: 'metrics', request: null, text: metricsText(5) });
  await fork(1).end(null, 'SIGKILL');
  const second = await scrape(fork(0), 12);
  await fork(0).say({ type: 'metrics', request: 2, text: metricsText(3) });
  assert.match(second(), /^requests_total 8$/m);
  assert.match(second(), /^floe_process_up\{process="2"\} 0$/m);
  assert.match(second(), /^floe_process_crashes_total\{\} 1$/m);

  clock.advance(100);
  await fork(2).listen();
  const third = await scrape(fork(0), 13);
  await fork(0).say({ type: 'metrics', request: 3, text: metricsText(6) });
  await clock.advanceAsync(2_500);
  assert.match(third(), /^requests_total 11$/m, 'a process that does not respond is left out');
  supervisor.stop('SIGTERM');
});
