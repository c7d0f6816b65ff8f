import type {
  CoordinatorCall,
  CoordinatorOperation,
  CoordinatorOperations,
  CoordinatorOperationWithoutReply,
  CoordinatorOperationWithReply,
  CoordinatorReply,
  CoordinatorResult,
} from './coordinator-protocol.ts';

/** Maximum number of calls without a reply. Further calls fail immediately. */
const MAX_PENDING_CALLS = 20_000;
/**
 * Maximum time for which a write transaction waits for the write lock of another process, in milliseconds. It is
 * as long as the statement timeout with PostgreSQL.
 */
export const WRITE_LOCK_TIMEOUT_MS = 30_000;

interface PendingCall {
  resolve(result: CoordinatorResult): void;
  reject(error: Error): void;
}

/**
 * The connection of a process to the coordinator in its supervisor. The calls of one turn of the event loop are
 * sent in one message. A call has no timeout, because the process exits if its supervisor exits. Callers that must
 * not wait have their own timeouts.
 */
export class CoordinatorClient {
  readonly #sendMessage: (calls: readonly CoordinatorCall[]) => void;
  readonly #pending = new Map<number, PendingCall>();
  readonly #changeListeners: (() => void)[] = [];
  #outbox: CoordinatorCall[] = [];
  #lastCall = 0;

  constructor(send: (calls: readonly CoordinatorCall[]) => void) {
    this.#sendMessage = send;
  }

  /** Rejects if too many calls are waiting for a reply. */
  async call<Operation extends CoordinatorOperationWithReply>(
    operation: Operation,
    parameters: CoordinatorOperations[Operation]['parameters'],
  ): Promise<CoordinatorOperations[Operation]['result']> {
    if (this.#pending.size >= MAX_PENDING_CALLS)
      throw new Error(`the supervisor is overloaded: ${MAX_PENDING_CALLS} calls are waiting for a reply`);
    return await this.#request(operation, parameters).result;
  }

  /** Sends a request that has no reply. */
  post<Operation extends CoordinatorOperationWithoutReply>(
    operation: Operation,
    parameters: CoordinatorOperations[Operation]['parameters'],
  ): void {
    this.#send(operation, parameters);
  }

  /**
   * Waits until only this process may write to the database. Returns the function that releases the lock; null if
   * another process has the lock for longer than `WRITE_LOCK_TIMEOUT_MS`.
   */
  async lockWrites(): Promise<(() => void) | null> {
    const { call, result } = this.#request('lock_writes', null);
    return (await result) ? () => this.post('unlock_writes', { lock: call }) : null;
  }

  /** Notifies the other processes of a committed change of the snapshot. */
  announceChange(): void {
    this.post('announce_change', null);
  }

  /** Calls `listener` after another process has announced a change. */
  onChange(listener: () => void): void {
    this.#changeListeners.push(listener);
  }

  /** Handles a message of the coordinator. */
  receiveReplies(replies: readonly CoordinatorReply[]): void {
    for (const reply of replies) {
      const pending = this.#pending.get(reply.call);
      this.#pending.delete(reply.call);
      if ('error' in reply) pending?.reject(new Error(`a call to the supervisor failed: ${reply.error}`));
      else pending?.resolve(reply.result);
    }
  }

  /** Handles a notification of the coordinator. */
  receiveChange(): void {
    for (const listener of this.#changeListeners) listener();
  }

  #request<Operation extends CoordinatorOperationWithReply>(
    operation: Operation,
    parameters: CoordinatorOperations[Operation]['parameters'],
  ) {
    const call = this.#send(operation, parameters);
    const { promise, resolve, reject } = Promise.withResolvers<CoordinatorResult>();
    this.#pending.set(call, { resolve, reject });
    return { call, result: promise as Promise<CoordinatorOperations[Operation]['result']> };
  }

  /** Adds a call to the next message, and returns its number. */
  #send<Operation extends CoordinatorOperation>(
    operation: Operation,
    parameters: CoordinatorOperations[Operation]['parameters'],
  ): number {
    this.#lastCall += 1;
    const call = this.#lastCall;
    if (this.#outbox.length === 0) setImmediate(() => this.#flush());
    // The parameters belong to the operation, which the compiler cannot derive from the type parameter.
    this.#outbox.push({ call, operation, parameters } as CoordinatorCall);
    return call;
  }

  #flush(): void {
    const calls = this.#outbox;
    this.#outbox = [];
    this.#sendMessage(calls);
  }
}
