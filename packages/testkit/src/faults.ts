import type { Answer, Delivery, Step } from './answer.ts';
import type { ReceivedRequest } from './connection.ts';

/** What a fault has to work with: the request, and the answer a healthy upstream would have given. */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly answer: Answer;
  readonly delivery: Delivery;
  /** Milliseconds since the Unix epoch, for dates in headers. */
  readonly nowMs: number;
  /** The upstream's own origin, for redirects. */
  readonly origin: string;
}

/** One way in which an upstream misbehaves, as data: a test table can run over all of them. */
export interface UpstreamFault {
  /** `kind` or `kind/variant`, unique. */
  readonly name: string;
  /** What the upstream does, in one line. */
  readonly does: string;
  /** How many requests it lasts for. */
  readonly times: number;
  /** Nobody listens on the port while this fault stands. */
  readonly closedPort?: true;
  /** The steps taken instead of the healthy answer's. */
  plan(exchange: Exchange): readonly Step[];
}

/** The same fault for `times` requests only. */
export function lasting(fault: UpstreamFault, times: number): UpstreamFault {
  return { ...fault, times };
}
