import type { FakeResponse, ResponseDelivery, SocketStep } from './fake-response.ts';
import type { ReceivedRequest } from './upstream-connection.ts';

/** The request and the healthy response that a fault is derived from. */
export interface FaultContext {
  readonly request: ReceivedRequest;
  readonly answer: FakeResponse;
  readonly delivery: ResponseDelivery;
  /** Milliseconds since the Unix epoch, for dates in headers. */
  readonly nowMs: number;
  /** The upstream's origin, for redirects. */
  readonly origin: string;
}

/** One misbehavior of an upstream, as data, so that a test can iterate over all of them. */
export interface InjectedFault {
  /** `kind` or `kind/variant`, unique. */
  readonly name: string;
  /** Describes the behavior of the upstream in one line. */
  readonly description: string;
  /** Number of requests to which the fault applies. */
  readonly requestCount: number;
  /** The port is closed while this fault is active. */
  readonly isPortClosed?: true;
  /** Returns the steps that replace those of the healthy answer. */
  planSteps(exchange: FaultContext): readonly SocketStep[];
}

/** Returns the same fault for `requestCount` requests only. */
export function limitFaultRequests(fault: InjectedFault, requestCount: number): InjectedFault {
  return { ...fault, requestCount };
}
