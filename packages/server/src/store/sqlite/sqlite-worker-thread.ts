import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import { Fault } from '@floe/contract/faults';
import type { Log } from '../../core/log.ts';
import type {
  SqliteWorkerCall,
  SqliteWorkerFailure,
  SqliteWorkerReply,
  SqliteWorkerRequest,
  SqliteWorkerResult,
  SqliteWorkerRole,
} from './worker-protocol.ts';

/** Thrown if a request failed in the worker thread. It contains SQLite's result code. */
export class SqliteWorkerRequestError extends Error {
  readonly failure: SqliteWorkerFailure;

  constructor(failure: SqliteWorkerFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

interface PendingReply {
  resolve(done: SqliteWorkerResult): void;
  reject(error: Error): void;
}

/**
 * A worker thread with one SQLite connection. The main thread uses this class to send requests to
 * it.
 */
export class SqliteWorkerThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingReply>();
  #lastId = 0;
  #exitFault: Fault | null = null;
  #closing = false;

  constructor(role: SqliteWorkerRole, log: Log) {
    const cache = getCompileCacheDir();
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
      name: `sqlite-${role}`,
      // Without the process's compile cache, stripping types takes a thread 45 ms. Other variables are not
      // passed on, because they may contain credentials.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    });
    this.#worker.on('message', (reply: SqliteWorkerReply) => this.#settle(reply));
    this.#worker.on('error', (error) =>
      this.#fail(new Error(`The SQLite ${role} thread failed`, { cause: error })),
    );
    this.#worker.on('exit', (code) => {
      if (!this.#closing)
        log.error(
          { role, code },
          'database worker thread stopped; the database is unavailable until Floe is restarted',
        );
      this.#fail(new Error(`The SQLite ${role} thread ended with code ${code}`));
    });
  }

  /**
   * Sends a request and resolves with its result. Rejects with `SqliteWorkerRequestError`, or with a `Fault` if the
   * thread has ended.
   */
  send(request: SqliteWorkerRequest): Promise<SqliteWorkerResult> {
    if (this.#exitFault) return Promise.reject(this.#exitFault);
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      const call: SqliteWorkerCall = { id, request };
      try {
        this.#worker.postMessage(call);
      } catch (error) {
        // A parameter that cannot be cloned (a function, a symbol) is a bug of the caller.
        this.#waiting.delete(id);
        reject(error);
      }
    });
  }

  async close(): Promise<void> {
    if (this.#exitFault) return;
    this.#closing = true;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    await this.send({ kind: 'close' });
    await exited;
  }

  /** Ends the thread immediately. For a database that could not be opened. */
  async terminate(): Promise<void> {
    this.#closing = true;
    await this.#worker.terminate();
  }

  #settle(reply: SqliteWorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('done' in reply) waiting?.resolve(reply.done);
    else waiting?.reject(new SqliteWorkerRequestError(reply.failure));
  }

  #fail(cause: Error): void {
    this.#exitFault ??= new Fault('overloaded', 'The database worker thread stopped. Restart Floe.', {
      cause,
    });
    for (const { reject } of this.#waiting.values()) reject(this.#exitFault);
    this.#waiting.clear();
  }
}
