import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { StartReport } from '../announce-start.ts';
import type { ProcessMessage, SupervisorMessage } from './process-messages.ts';

/** Delay before a crashed process is started again. Doubles with each crash, up to the maximum. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** A process that has served for this long was started successfully. Its next crash counts as the first. */
const STABLE_MS = 60_000;

/** The exit code or signal of a process that exited. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running process of the server. */
export interface SupervisedProcess {
  readonly pid: number;
  send(message: SupervisorMessage): void;
  kill(signal: NodeJS.Signals): void;
  onMessage(listener: (message: ProcessMessage) => void): void;
  /** Calls `listener` when the process has exited and its output is complete. */
  onExit(listener: (exit: ProcessExit) => void): void;
}

export interface ProcessSlotOptions {
  /** The number of the process, from 1. */
  readonly number: number;
  readonly fork: (processNumber: number) => SupervisedProcess;
  readonly clock: Clock;
  readonly log: Log;
  readonly onMessage: (slot: ProcessSlot, message: ProcessMessage) => void;
  readonly onExit: (slot: ProcessSlot, isCrash: boolean) => void;
  /**
   * Called if the process exited before it accepted connections, `failures` times in a row. Returns whether to
   * start it again.
   */
  readonly shouldRetryStart: (slot: ProcessSlot, failures: number, exit: ProcessExit) => boolean;
}

/** One of the processes that a supervisor keeps running. A crashed process is started again. */
export class ProcessSlot {
  readonly #options: ProcessSlotOptions;
  #process: SupervisedProcess | null = null;
  #listening = Promise.withResolvers<StartReport>();
  #listeningSince: number | null = null;
  #crashes = 0;
  #failedStarts = 0;
  #timer: Timer | null = null;
  #isRestarting = false;
  #mustReload = false;
  #exited: PromiseWithResolvers<ProcessExit | null> | null = null;

  constructor(options: ProcessSlotOptions) {
    this.#options = options;
  }

  get number(): number {
    return this.#options.number;
  }

  get isListening(): boolean {
    return this.#listeningSince !== null;
  }

  /** Starts the process. Resolves when it accepts connections. */
  start(): Promise<StartReport> {
    this.#fork();
    return this.#listening.promise;
  }

  /** Replaces the process. Resolves when the new process accepts connections. */
  async restart(): Promise<void> {
    if (this.#process === null || !this.isListening) {
      await this.#listening.promise;
      return;
    }
    this.#isRestarting = true;
    this.#stopListening();
    this.#process.send({ type: 'restart' });
    await this.#listening.promise;
  }

  /** Sends a message to the process. Returns false if it is not running. */
  send(message: SupervisorMessage): boolean {
    this.#process?.send(message);
    return this.#process !== null;
  }

  /**
   * Lets the process reload its configuration. A process that is starting does so when it accepts connections,
   * because the signal would terminate it before, and because it may already have read the old file.
   */
  reload(): void {
    if (this.isListening) this.#process?.kill('SIGHUP');
    else this.#mustReload = true;
  }

  /**
   * Sends a signal, and does not start the process again. Resolves when the process has exited. Resolves to null if
   * it was not running.
   */
  stop(signal: NodeJS.Signals): Promise<ProcessExit | null> {
    this.#exited ??= Promise.withResolvers();
    this.#timer?.cancel();
    if (this.#process === null) this.#exited.resolve(null);
    else this.#process.kill(signal);
    return this.#exited.promise;
  }

  #fork(): void {
    const { fork, number, clock, log, onMessage } = this.#options;
    const started = fork(number);
    this.#process = started;
    started.onMessage((message) => {
      if (message.type === 'listening') {
        this.#listeningSince = clock.monotonic();
        this.#failedStarts = 0;
        this.#listening.resolve(message.report);
        if (this.#mustReload) started.kill('SIGHUP');
        this.#mustReload = false;
        log.info({ process: number, pid: started.pid }, 'process is ready to accept connections');
      }
      onMessage(this, message);
    });
    started.onExit((exit) => this.#onExit(exit));
  }

  #onExit(exit: ProcessExit): void {
    const { clock, onExit } = this.#options;
    const servedMs = this.#listeningSince === null ? null : clock.monotonic() - this.#listeningSince;
    const isPlanned = this.#exited !== null || this.#isRestarting;
    this.#process = null;
    if (this.isListening) this.#stopListening();
    onExit(this, !isPlanned);
    if (this.#exited !== null) return this.#exited.resolve(exit);
    if (this.#isRestarting) {
      this.#isRestarting = false;
      return this.#fork();
    }
    this.#restartAfterCrash(exit, servedMs);
  }

  /** @param servedMs how long the process accepted connections; null if it never did */
  #restartAfterCrash(exit: ProcessExit, servedMs: number | null): void {
    const { number, clock, log, shouldRetryStart } = this.#options;
    if (servedMs !== null && servedMs >= STABLE_MS) this.#crashes = 0;
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#crashes);
    this.#crashes += 1;
    if (servedMs === null) {
      this.#failedStarts += 1;
      if (!shouldRetryStart(this, this.#failedStarts, exit)) return;
    }
    log.error(
      { process: number, code: exit.code, signal: exit.signal, restart_in_ms: delayMs },
      servedMs === null
        ? 'process exited before it accepted connections; starting it again'
        : 'process exited unexpectedly; starting it again',
    );
    // Nothing else keeps the supervisor alive if this was its only process.
    this.#timer = clock.after(delayMs, () => this.#fork(), true);
  }

  #stopListening(): void {
    this.#listeningSince = null;
    this.#listening = Promise.withResolvers();
  }
}
