import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from './clock.ts';

export interface ThreadPoolOptions {
  /** Module of each thread. It calls `serveTasks`. */
  readonly entry: URL;
  readonly name: string;
  readonly maxThreads: number;
  /** Tasks of one tenant that run at the same time; fewer than `threads` leaves one for the others. */
  readonly maxRunningPerTenant: number;
  /** Tasks of one tenant that may wait. */
  readonly maxQueuedPerTenant: number;
  /** How long one task may run. */
  readonly taskTimeoutMs: number;
  /** A thread without work ends after this time. */
  readonly idleTimeoutMs: number;
  /** Heap of one thread. */
  readonly maxHeapMb: number;
  readonly clock: Pick<Clock, 'after'>;
}

/** A task was ended because it took more time or memory than it may. */
export class TaskStoppedError extends Error {
  override readonly name = 'TaskStoppedError';
  readonly exceeded: 'time' | 'memory';

  constructor(exceeded: 'time' | 'memory') {
    super(`The task took more ${exceeded} than it may.`);
    this.exceeded = exceeded;
  }
}

/** So many tasks of one tenant wait that no further one is taken. */
export class TenantBusyError extends Error {
  override readonly name = 'TenantBusyError';
}

/** The pool was closed before the task was done. */
export class PoolClosedError extends Error {
  override readonly name = 'PoolClosedError';
}

interface Task {
  readonly tenant: string;
  readonly message: unknown;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

/** A message from a thread: that it is ready for its first task, or what a task replied. */
export type WorkerThreadMessage = { readonly ready: true } | { readonly reply: unknown };

/**
 * Runs tasks in worker threads, started when needed. Tenants take turns, whoever asked first; a task that takes too long or
 * too much memory loses its thread, and nothing else does.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  /** Tenants in the order of their turns. */
  readonly #queues = new Map<string, Task[]>();
  readonly #running = new Map<string, number>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Resolves to the reply of the thread. @throws TaskStoppedError, TenantBusyError, PoolClosedError */
  run(tenant: string, message: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new PoolClosedError('The pool is closed.'));
      const queue = this.#queues.get(tenant) ?? [];
      if (queue.length >= this.#options.maxQueuedPerTenant)
        return reject(new TenantBusyError('Too many tasks of this tenant are waiting.'));
      queue.push({ tenant, message, resolve, reject });
      this.#queues.set(tenant, queue);
      this.#pump();
    });
  }

  /** Ends all threads and rejects what has not been done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = [...this.#queues.values()].flat();
    this.#queues.clear();
    for (const { reject } of waiting) reject(new PoolClosedError('The pool was closed.'));
    await Promise.all(
      [...this.#threads].map((thread) => thread.end(new PoolClosedError('The pool was closed.'))),
    );
  }

  #pump(): void {
    for (;;) {
      const thread = this.#freeThread();
      const task = thread === null ? null : this.#nextTask();
      if (!thread || !task) return;
      if (thread === 'new') this.#start(task);
      else this.#give(thread, task);
    }
  }

  #freeThread(): Thread | 'new' | null {
    for (const thread of this.#threads) if (thread.isIdle) return thread;
    return !this.#isClosed && this.#threads.size < this.#options.maxThreads ? 'new' : null;
  }

  #nextTask(): Task | null {
    for (const [tenant, queue] of this.#queues) {
      if ((this.#running.get(tenant) ?? 0) >= this.#options.maxRunningPerTenant) continue;
      const task = queue.shift();
      this.#queues.delete(tenant);
      // Behind all others, for its next turn.
      if (queue.length > 0) this.#queues.set(tenant, queue);
      if (task) return task;
    }
    return null;
  }

  #start(task: Task): void {
    const thread = new Thread(this.#options, {
      ended: () => {
        this.#threads.delete(thread);
        this.#pump();
      },
    });
    this.#threads.add(thread);
    this.#give(thread, task);
  }

  #give(thread: Thread, task: Task): void {
    const { tenant } = task;
    this.#running.set(tenant, (this.#running.get(tenant) ?? 0) + 1);
    const over = () => {
      const left = (this.#running.get(tenant) ?? 1) - 1;
      if (left === 0) this.#running.delete(tenant);
      else this.#running.set(tenant, left);
      this.#pump();
    };
    thread.run(task.message).then(task.resolve, task.reject).finally(over);
  }
}

interface RunningTask {
  readonly done: PromiseWithResolvers<unknown>;
  timer: Timer | null;
}

/** One worker thread, which has at most one task. */
class Thread {
  readonly #worker: Worker;
  readonly #options: ThreadPoolOptions;
  #current: RunningTask | null = null;
  #isReady = false;
  #idle: Timer | null = null;
  #isEnding = false;

  constructor(options: ThreadPoolOptions, { ended }: { readonly ended: () => void }) {
    this.#options = options;
    const cache = getCompileCacheDir();
    this.#worker = new Worker(options.entry, {
      name: options.name,
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb },
      // The environment may hold credentials; the compile cache saves loading the modules anew.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    });
    this.#worker.on('message', (message: WorkerThreadMessage) => {
      if ('ready' in message) this.#ready();
      else this.#settle((done) => done.resolve(message.reply));
    });
    this.#worker.on('error', (error: Error & { code?: string }) => {
      this.#isEnding = true;
      this.#settle((done) =>
        done.reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new TaskStoppedError('memory') : error),
      );
    });
    this.#worker.on('exit', (code) => {
      this.#isEnding = true;
      this.#idle?.cancel();
      this.#settle((done) => done.reject(new Error(`The thread ended with code ${code}.`)));
      ended();
    });
  }

  get isIdle(): boolean {
    return this.#current === null && !this.#isEnding;
  }

  run(message: unknown): Promise<unknown> {
    const done = Promise.withResolvers<unknown>();
    this.#idle?.cancel();
    this.#current = { done, timer: null };
    this.#worker.ref();
    try {
      this.#worker.postMessage(message);
    } catch (error) {
      // What cannot be cloned is a bug of the caller.
      this.#settle(() => done.reject(error));
      return done.promise;
    }
    // Loading the modules of a new thread is not the task's time.
    if (this.#isReady) this.#limit();
    return done.promise;
  }

  async end(reason: Error): Promise<void> {
    this.#isEnding = true;
    this.#settle((done) => done.reject(reason));
    await this.#worker.terminate();
  }

  #ready(): void {
    this.#isReady = true;
    this.#limit();
  }

  #limit(): void {
    if (!this.#current) return;
    this.#current.timer = this.#options.clock.after(
      this.#options.taskTimeoutMs,
      () => void this.end(new TaskStoppedError('time')),
    );
  }

  #settle(how: (done: PromiseWithResolvers<unknown>) => void): void {
    const current = this.#current;
    if (!current) return;
    this.#current = null;
    current.timer?.cancel();
    this.#worker.unref();
    this.#idle = this.#options.clock.after(this.#options.idleTimeoutMs, () => {
      if (this.isIdle) void this.end(new TaskStoppedError('time'));
    });
    how(current.done);
  }
}
