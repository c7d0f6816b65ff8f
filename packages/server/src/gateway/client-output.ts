import type { Fault } from '@floe/contract/faults';

/** The client's side of a streamed answer. */
export interface ClientOutput {
  /** Content has gone to the client. */
  readonly isContentSent: boolean;
  /** False when the client reads slower than the upstream writes. @throws Fault `policy_denied` */
  write(bytes: Buffer | string): boolean;
  /** The first content is known to be good: everything held goes out. */
  start(): void;
  /** @throws Fault `policy_denied` when the answer as a whole is denied */
  end(): void;
  /** Judges the last bytes before they are told: what they end may have to be stored first. @throws Fault `policy_denied` */
  evaluateEnd<Bytes extends Buffer | string>(bytes: Bytes): Bytes | Buffer;
  /** How a stream that a policy stopped ends; null when none did. */
  formatError(fault: Fault): string | null;
}
