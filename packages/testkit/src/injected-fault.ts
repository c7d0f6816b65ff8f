import type { AnswerDelivery, FakeAnswer, SocketStep } from './fake-answer.ts';
import type { ReceivedRequest } from './upstream-connection.ts';

/** What a fault has to work with: the request, and the answer a healthy upstream would have given. */
export interface FaultContext {
  readonly request: ReceivedRequest;
  readonly answer: FakeAnswer;
  readonly delivery: AnswerDelivery;
  /** Milliseconds since the Unix epoch, for dates in headers. */
  readonly nowMs: number;
  /** The upstream's own origin, for redirects. */
  readonly origin: string;
}

/** One way in which an upstream misbehaves, as data: a test table can run over all of them. */
export interface InjectedFault {
  /** `kind` or `kind/variant`, unique. */
  readonly name: string;
  /** What the upstream does, in one line. */
  readonly description: string;
  /** How many requests it lasts for. */
  readonly requestCount: number;
  /** Nobody listens on the port while this fault stands. */
  readonly isPortClosed?: true;
  /** The steps taken instead of the healthy answer's. */
  planSteps(exchange: FaultContext): readonly SocketStep[];
}

/** The same fault for `times` requests only. */
export function limitFault(fault: InjectedFault, requestCount: number): InjectedFault {
  return { ...fault, requestCount };
}
