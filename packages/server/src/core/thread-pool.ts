import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from './clock.ts';

/** The settings of a worker thread pool. */
export interface ThreadPoolOptions {
  /** The module that each thread runs. It must call `serveTasks`. */
  readonly entry: URL;
  readonly name: string;
  readonly maxThreads: number;
  /**
   * Maximum number of running tasks per organization. A value below `maxThreads` keeps a thread free for
   * other organizations.
   */
  readonly maxRunningPerTenant: number;
  /** Maximum number of waiting tasks per organization. */
  readonly maxQueuedPerTenant: number;
  /** Maximum duration of a task in milliseconds. */
  readonly taskTimeoutMs: number;
  /** Time without a task after which a thread ends, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Maximum heap size of a worker thread, in MiB. */
  readonly maxHeapMb: number;
  readonly clock: Pick<Clock, 'after'>;
}

/** Thrown if the pool stopped a task because it used too much time or memory. */
export class TaskLimitExceededError extends Error {
  override readonly name = 'TaskLimitExceededError';
  readonly exceeded: 'time' | 'memory';

  constructor(exceeded: 'time' | 'memory') {
    super(`The task exceeded its ${exceeded} limit.`);
    this.exceeded = exceeded;
  }
}

/**
 * Thrown if the pool rejected a task because its organization already has too many waiting tasks.
 */
export class TaskQueueFullError extends Error {
  override readonly name = 'TaskQueueFullError';
}

/** Thrown if the pool was closed before the task finished. */
export class ThreadPoolClosedError extends Error {
  override readonly name = 'ThreadPoolClosedError';
}

/** Thrown if the caller canceled the task. */
export class TaskCanceledError extends Error {
  override readonly name = 'TaskCanceledError';
}

/** Optional settings of one task. */
export interface ThreadTaskOptions {
  /** Cancels the task. A waiting task is removed. A running one may continue for `CANCEL_GRACE_MS`. */
  readonly signal?: AbortSignal;
  /** Buffers of the message that are moved to the thread instead of being copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** How long a canceled task may continue before its thread is terminated. A new thread is expensive. */
const CANCEL_GRACE_MS = 250;
/** Maximum time for a thread to load its modules. Long enough for an overloaded machine. */
const LOAD_TIMEOUT_MS = 120_000;

interface Task {
  readonly tenant: string;
  readonly message: unknown;
  readonly options: ThreadTaskOptions;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

/** A message from a worker thread: the thread is ready for its first task, or replies to a task. */
export type WorkerThreadMessage = { readonly ready: true } | { readonly reply: unknown };

/**
 * Runs tasks in worker threads, which it starts when needed. Organizations take turns, regardless
 * of the order of their tasks. If a task takes too much time or memory, the pool terminates only
 * that task's thread.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  /** The tasks by organization, in the order in which the organizations take turns. */
  readonly #queues = new Map<string, Task[]>();
  readonly #running = new Map<string, number>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /**
   * Runs a task and resolves to the reply of the thread.
   * @throws TaskLimitExceededError, TaskCanceledError, TaskQueueFullError, ThreadPoolClosedError
   */
  async run(tenant: string, message: unknown, options: ThreadTaskOptions = {}): Promise<unknown> {
    const { signal } = options;
    if (this.#isClosed) throw new ThreadPoolClosedError('The thread pool is closed.');
    if (signal?.aborted) throw new TaskCanceledError('The task was canceled.');
    const queue = this.#queues.get(tenant) ?? [];
    if (queue.length >= this.#options.maxQueuedPerTenant)
      throw new TaskQueueFullError('The task queue of this organization is full. Retry the task later.');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const task: Task = { tenant, message, options, resolve, reject };
    const withdraw = () => this.#withdraw(task);
    signal?.addEventListener('abort', withdraw, { once: true });
    queue.push(task);
    this.#queues.set(tenant, queue);
    this.#pump();
    return promise.finally(() => signal?.removeEventListener('abort', withdraw));
  }

  /** Ends all threads and rejects unfinished tasks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = [...this.#queues.values()].flat();
    this.#queues.clear();
    for (const { reject } of waiting) reject(new ThreadPoolClosedError('The thread pool was closed.'));
    await Promise.all(
      [...this.#threads].map((thread) =>
        thread.end(new ThreadPoolClosedError('The thread pool was closed.')),
      ),
    );
  }

  /** Removes a waiting task. A running task is stopped by `#give`. */
  #withdraw(task: Task): void {
    task.reject(new TaskCanceledError('The task was canceled.'));
    const queue = this.#queues.get(task.tenant);
    const at = queue?.indexOf(task) ?? -1;
    if (queue === undefined || at === -1) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(task.tenant);
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
      // The tenant moves to the end of the order.
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
    const { signal, transfer = [] } = task.options;
    let grace: Timer | null = null;
    const cancel = () => {
      grace = this.#options.clock.after(CANCEL_GRACE_MS, () =>
        thread.end(new TaskCanceledError('The task was canceled.')),
      );
    };
    signal?.addEventListener('abort', cancel, { once: true });
    thread
      .run(task.message, transfer)
      .then(task.resolve, task.reject)
      .finally(() => {
        signal?.removeEventListener('abort', cancel);
        grace?.cancel();
        over();
      });
  }
}

interface RunningTask {
  readonly done: PromiseWithResolvers<unknown>;
  timer: Timer | null;
}

/** A worker thread. It runs at most one task at a time. */
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
      // The environment may contain credentials, so it is not passed. The compile cache makes loading the
      // modules faster.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    });
    this.#worker.on('message', (message: WorkerThreadMessage) => {
      if ('ready' in message) this.#ready();
      else this.#settle((done) => done.resolve(message.reply));
    });
    this.#worker.on('error', (error: Error & { code?: string }) => {
      this.#isEnding = true;
      this.#settle((done) =>
        done.reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new TaskLimitExceededError('memory') : error),
      );
    });
    this.#worker.on('exit', (code) => {
      this.#isEnding = true;
      this.#idle?.cancel();
      this.#settle((done) => done.reject(new Error(`The worker thread exited with code ${code}.`)));
      ended();
    });
  }

  get isIdle(): boolean {
    return this.#current === null && !this.#isEnding;
  }

  run(message: unknown, transfer: readonly ArrayBuffer[]): Promise<unknown> {
    const done = Promise.withResolvers<unknown>();
    this.#idle?.cancel();
    this.#current = { done, timer: null };
    this.#worker.ref();
    try {
      this.#worker.postMessage(message, transfer);
    } catch (error) {
      // A message that cannot be cloned is a defect of the caller.
      this.#settle(() => done.reject(error));
      return done.promise;
    }
    // The time to load the modules does not count as time of the task.
    this.#limit(this.#isReady ? this.#options.taskTimeoutMs : LOAD_TIMEOUT_MS);
    return done.promise;
  }

  async end(reason: Error): Promise<void> {
    this.#isEnding = true;
    this.#settle((done) => done.reject(reason));
    await this.#worker.terminate();
  }

  #ready(): void {
    this.#isReady = true;
    this.#limit(this.#options.taskTimeoutMs);
  }

  #limit(ms: number): void {
    if (!this.#current) return;
    this.#current.timer?.cancel();
    const expire = () => void this.end(new TaskLimitExceededError('time'));
    this.#current.timer = this.#options.clock.after(ms, expire);
  }

  #settle(how: (done: PromiseWithResolvers<unknown>) => void): void {
    const current = this.#current;
    if (!current) return;
    this.#current = null;
    current.timer?.cancel();
    this.#worker.unref();
    this.#idle = this.#options.clock.after(this.#options.idleTimeoutMs, () => {
      if (this.isIdle) void this.end(new TaskLimitExceededError('time'));
    });
    how(current.done);
  }
}
