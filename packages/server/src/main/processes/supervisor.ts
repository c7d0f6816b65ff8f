import { CounterFamily, GaugeFamily } from '../../analytics/metric-families.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import {
  ProcessCoordinator,
  type ProcessMessageSender,
} from '../../store/coordinator/process-coordinator.ts';
import type { StartReport } from '../announce-start.ts';
import type { ProcessMessage } from './process-messages.ts';
import { ProcessMetricsCollector } from './process-metrics-collector.ts';
import { type ProcessExit, ProcessSlot, type SupervisedProcess } from './process-slot.ts';

/** Number of failed starts in a row after which the supervisor exits, unless another process serves requests. */
const MAX_FAILED_STARTS = 5;

export interface SupervisorOptions {
  /** Number of processes. */
  readonly count: number;
  readonly fork: (processNumber: number) => SupervisedProcess;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once, when all processes accept connections. */
  readonly announce: (report: StartReport) => void;
  /** Exits the supervisor. Called when all processes have exited. */
  readonly exit: (code: number) => void;
}

/** Keeps several processes of the server running, collects their metrics, and stores the state that they share. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: readonly ProcessSlot[];
  readonly #metrics: ProcessMetricsCollector;
  readonly #coordinator: ProcessCoordinator;
  readonly #up = new GaugeFamily({
    name: 'floe_process_up',
    help: 'Whether each process accepts connections (1) or not (0). Reported only if `server.processes` is greater than 1.',
    labels: ['process'],
  });
  readonly #crashes = new CounterFamily({
    name: 'floe_process_crashes_total',
    help: 'Number of times that a process exited unexpectedly. Reported only if `server.processes` is greater than 1.',
    labels: [],
  });
  #isStarted = false;
  #isStopping = false;
  #isRestarting = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { fork, clock, log } = options;
    this.#slots = Array.from(
      { length: options.count },
      (_, index) =>
        new ProcessSlot({
          number: index + 1,
          fork,
          clock,
          log,
          onMessage: (slot, message) => this.#onMessage(slot, message),
          onExit: (slot, isCrash) => this.#onExit(slot, isCrash),
          shouldRetryStart: (slot, failures, exit) => this.#shouldRetryStart(slot, failures, exit),
        }),
    );
    this.#metrics = new ProcessMetricsCollector(clock, () => this.#slots);
    const channel: ProcessMessageSender = {
      sendReplies: (number, replies) => void this.#slots[number - 1]?.send({ type: 'coordinated', replies }),
      notifyOthers: (number) => {
        for (const slot of this.#slots) if (slot.number !== number) slot.send({ type: 'snapshot_changed' });
      },
    };
    this.#coordinator = new ProcessCoordinator(clock, channel, log);
    this.#crashes.add(0);
  }

  /** Starts the processes. The first one migrates the database and reports errors of the configuration. */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots;
    const report = await first?.start();
    if (this.#isStopping) return;
    await Promise.all(others.map((slot) => slot.start()));
    if (this.#isStopping || report === undefined) return;
    this.#isStarted = true;
    this.#options.announce(report);
  }

  /** Lets all processes reload the configuration. */
  reload(): void {
    for (const slot of this.#slots) slot.reload();
  }

  /** Restarts one process at a time, while the others accept connections. */
  async restart(): Promise<void> {
    const { log } = this.#options;
    if (this.#isRestarting || !this.#isStarted)
      return log.warn(
        {},
        'SIGUSR2 was ignored, because the processes are still starting or restarting; send it again when all processes accept connections',
      );
    this.#isRestarting = true;
    log.info({ processes: this.#slots.length }, 'processes are being restarted one at a time');
    for (const slot of this.#slots) {
      await slot.restart();
      log.info({ process: slot.number }, 'process was restarted');
    }
    this.#isRestarting = false;
    log.info({}, 'all processes were restarted');
  }

  /** Sends a signal to all processes, and exits when they have exited. */
  stop(signal: 'SIGTERM' | 'SIGINT'): void {
    void this.#stop(signal, null);
  }

  /** @param exitCode null if the exit code depends on the processes */
  async #stop(signal: 'SIGTERM' | 'SIGINT', exitCode: number | null): Promise<void> {
    const isFirst = !this.#isStopping;
    this.#isStopping = true;
    const exits = await Promise.all(this.#slots.map((slot) => slot.stop(signal)));
    if (!isFirst) return;
    const failed = exits.find((exit) => exit !== null && exit.code !== 0);
    this.#options.exit(exitCode ?? (failed ? 1 : 0));
  }

  #onMessage(slot: ProcessSlot, message: ProcessMessage): void {
    if (message.type === 'coordinate') this.#coordinator.receive(slot.number, message.calls);
    else if (message.type === 'listening') this.#coordinator.onReady(slot.number);
    else if (message.type === 'metrics') this.#metrics.receive(slot.number, message.request, message.text);
    else
      void this.#collectMetrics().then((text) =>
        slot.send({ type: 'collected_metrics', request: message.request, text }),
      );
  }

  async #collectMetrics(): Promise<string> {
    const text = await this.#metrics.collect();
    this.#up.clear();
    for (const slot of this.#slots) this.#up.add(slot.isListening ? 1 : 0, String(slot.number));
    return `${text}${this.#up.render()}${this.#crashes.render()}`;
  }

  #onExit(slot: ProcessSlot, isCrash: boolean): void {
    this.#metrics.retain(slot.number);
    this.#coordinator.onExit(slot.number);
    if (isCrash) this.#crashes.add(1);
  }

  /**
   * At the first start, a failure stops the server, because its cause is the configuration. Later, a process
   * that cannot be started must not stop others that serve requests.
   */
  #shouldRetryStart(slot: ProcessSlot, failures: number, exit: ProcessExit): boolean {
    const isServing = this.#slots.some(({ isListening }) => isListening);
    if (this.#isStarted && (isServing || failures < MAX_FAILED_STARTS)) return true;
    this.#options.log.error(
      { process: slot.number, code: exit.code, signal: exit.signal },
      'process could not be started; shutting down the server; the previous log lines of this process state the reason',
    );
    void this.#stop('SIGTERM', exit.code || 1);
    return false;
  }
}
