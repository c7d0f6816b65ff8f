import type { Fault } from '@floe/contract/faults';

/** Sends a streamed response to the client. */
export interface ClientOutput {
  /** Whether content has been sent to the client. */
  readonly isContentSent: boolean;
  /**
   * Writes a part of the response. Returns false if the client reads more slowly than the provider sends.
   * @throws Fault `policy_denied`
   */
  write(bytes: Buffer | string): boolean;
  /** Sends all buffered bytes and stops buffering, because valid content has arrived. */
  start(): void;
  /** Ends the response. @throws Fault `policy_denied` if a policy denies the complete response */
  end(): void;
  /**
   * Evaluates policies on the last bytes and passes the result to `use` instead of sending it, because the
   * turn may have to be stored first. If a thread evaluates the policies (`x.policy.pending`), `use` is
   * called later.
   * @throws Fault `policy_denied`
   */
  evaluateEnd(bytes: Buffer | string, use: (judged: Buffer | string) => void): void;
  /** Gives the memory back if the attempt failed before content. The next attempt has its own output. */
  abort(): void;
  /** Returns the text that ends a stream after a policy stopped it; null if no policy did. */
  formatError(fault: Fault): string | null;
}
