import type { Fault } from '@floe/contract/faults';

/** The client's side of a streamed response. */
export interface ClientOutput {
  /** Whether content has been sent to the client. */
  readonly isContentSent: boolean;
  /** Returns false if the client reads more slowly than the provider sends. @throws Fault `policy_denied` */
  write(bytes: Buffer | string): boolean;
  /** Sends all buffered bytes, because the first content is valid. */
  start(): void;
  /** Ends the response. @throws Fault `policy_denied` if a policy denies the complete response */
  end(): void;
  /**
   * Evaluates policies on the last bytes before they are sent, because the turn may have to be stored first.
   * Passes the bytes to `use`, later if a thread evaluates the policies (`x.policy.pending`).
   * @throws Fault `policy_denied`
   */
  evaluateEnd(bytes: Buffer | string, use: (judged: Buffer | string) => void): void;
  /** Returns the end of a stream that a policy stopped; null if none did. */
  formatError(fault: Fault): string | null;
}
