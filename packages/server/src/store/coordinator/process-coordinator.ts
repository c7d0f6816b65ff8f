import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { SupervisorCounters } from '../counters/supervisor-counters.ts';
import { WRITE_LOCK_TIMEOUT_MS } from './coordinator-client.ts';
import type { CoordinatorCall, CoordinatorReply, CoordinatorResult } from './coordinator-protocol.ts';

/** Sends messages to the processes of the server. */
export interface ProcessMessageSender {
  sendReplies(process: number, replies: readonly CoordinatorReply[]): void;
  /** Sends a notification to all processes except `process`. */
  notifyOthers(process: number): void;
}

interface WriteLock {
  readonly process: number;
  readonly call: number;
}

/**
 * The state that the processes of a server share without Redis or PostgreSQL: the counters of limits and budgets, the
 * order of write transactions on SQLite, and notifications about changes. It runs in the supervisor, which serves no
 * requests and runs as long as the server.
 */
export class ProcessCoordinator {
  readonly #counters: SupervisorCounters;
  readonly #channel: ProcessMessageSender;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The lock and the waiting requests for it, by process and call. The first entry has the lock. */
  readonly #locks = new Map<string, WriteLock>();
  /** Runs while requests wait for the process that has the lock. */
  #lockTimer: Timer | null = null;

  constructor(clock: Clock, channel: ProcessMessageSender, log: Log) {
    this.#counters = new SupervisorCounters(clock, log);
    this.#channel = channel;
    this.#clock = clock;
    this.#log = log;
  }

  /** Handles the calls of a process in their order. A call that fails affects no other. */
  receive(process: number, calls: readonly CoordinatorCall[]): void {
    const replies: CoordinatorReply[] = [];
    for (const one of calls) {
      const { call } = one;
      try {
        const result = this.#perform(process, one);
        if (result instanceof Promise)
          void result.then(
            (value) => this.#channel.sendReplies(process, [{ call, result: value }]),
            (error: unknown) => this.#channel.sendReplies(process, [this.#toErrorReply(call, error)]),
          );
        else if (result !== undefined) replies.push({ call, result });
      } catch (error) {
        replies.push(this.#toErrorReply(call, error));
      }
    }
    if (replies.length > 0) this.#channel.sendReplies(process, replies);
  }

  /** Called when a process accepts connections and has charged the reservations of the process that it replaces. */
  onReady(process: number): void {
    this.#counters.dropOrphans(process);
  }

  /** Called when a process has exited. The operating system has then released its lock on the database. */
  onExit(process: number): void {
    this.#counters.removeProcess(process);
    const locks = [...this.#locks].filter(([, lock]) => lock.process === process);
    this.#removeLocks(locks.map(([key]) => key));
  }

  /** Returns the result; undefined if there is no reply, or if it is sent later. */
  #perform(
    process: number,
    call: CoordinatorCall,
  ): CoordinatorResult | Promise<CoordinatorResult> | undefined {
    switch (call.operation) {
      case 'acquire':
        return this.#counters.acquire(process, call.parameters, call.parameters.ownSlots);
      case 'settle':
        this.#counters.settle(call.parameters);
        return undefined;
      case 'extend':
        return this.#counters.extend(call.parameters.orgId, call.parameters.extension);
      case 'peek':
        return this.#counters.peek(call.parameters.orgId, call.parameters.claims);
      case 'record_stored_spend':
        this.#counters.recordStoredSpend(call.parameters);
        return undefined;
      case 'count_slots':
        return this.#counters.countSlots(process, call.parameters);
      case 'recount':
        this.#counters.recount(process, call.parameters);
        return null;
      case 'lock_writes':
        this.#locks.set(toLockKey(process, call.call), { process, call: call.call });
        if (this.#locks.size === 1) return true;
        this.#lockTimer ??= this.#startLockTimer();
        return undefined;
      case 'unlock_writes':
        this.#removeLocks([toLockKey(process, call.parameters.lock)]);
        return undefined;
      case 'announce_change':
        this.#channel.notifyOthers(process);
        return undefined;
      case 'ping':
        return null;
    }
  }

  /** Removes locks and requests for them. If the lock is released, the next process gets it. */
  #removeLocks(keys: readonly string[]): void {
    const [before] = this.#locks.values();
    for (const key of keys) this.#locks.delete(key);
    const [next] = this.#locks.values();
    if (next === before) return;
    this.#lockTimer?.cancel();
    this.#lockTimer = this.#locks.size > 1 ? this.#startLockTimer() : null;
    if (next) this.#channel.sendReplies(next.process, [{ call: next.call, result: true }]);
  }

  #startLockTimer(): Timer {
    return this.#clock.after(WRITE_LOCK_TIMEOUT_MS, () => {
      this.#lockTimer = null;
      const [, ...waiting] = this.#locks;
      for (const [key, { process, call }] of waiting) {
        this.#locks.delete(key);
        this.#channel.sendReplies(process, [{ call, result: false }]);
      }
    });
  }

  #toErrorReply(call: number, err: unknown): CoordinatorReply {
    this.#log.error({ err }, 'call from a process to the supervisor failed');
    return { call, error: err instanceof Error ? err.message : String(err) };
  }
}

function toLockKey(process: number, call: number): string {
  return `${process}:${call}`;
}
