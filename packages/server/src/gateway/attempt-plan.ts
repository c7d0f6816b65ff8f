import type { Fault } from '@floe/contract/faults';
import type { UpstreamRequest, UpstreamResponse, UpstreamResponseHead } from '../providers/transport.ts';
import type { Upload } from './opaque/upload.ts';

/** Sends a provider's response to the client. Throws a `Fault` as soon as it detects one. */
export interface ResponseSink {
  /** Returns `false` if the client reads more slowly than the provider sends. */
  push(chunk: Buffer): boolean;
  /** Ends the response. Throws if it is incomplete. */
  end(): void;
  /** Whether the provider has sent content, which ends the first-token deadline. */
  readonly hasContent: boolean;
  /** Whether content has been sent to the client, so that no other attempt can take over. */
  readonly isContentSent: boolean;
  /** Whether the client has the complete response, although the provider has not ended it. */
  readonly isComplete: boolean;
  /**
   * Called if the connection failed or became silent. Returns true if the finish had arrived and the client
   * now has the complete response, because data after the finish is irrelevant. If absent, such a response is
   * incomplete.
   */
  tryComplete?(): boolean;
  /** Called if the provider failed during the response. Records the usage so far. */
  abort(): void;
  /**
   * Formats a fault after content as text that ends the client's stream. Returns null if the bytes are the
   * provider's own; the connection is then closed.
   */
  formatError(fault: Fault): string | null;
}

/**
 * The plan for an attempt: the request to send to the target, and how its response is processed.
 */
export interface AttemptPlan {
  readonly request: UpstreamRequest;
  /** Paths of hints that the target does not support. */
  readonly dropped: readonly string[];
  /** The body, if it is forwarded as it arrives. */
  readonly upload?: Upload;
  /** Creates a sink for a response of any status. `createSink` and `toError` are then not used. */
  readonly createRawSink?: (head: UpstreamResponseHead) => ResponseSink;
  /**
   * Creates a sink for a 2xx response. `streamed` tells whether it is an event stream, whichever form was
   * requested.
   */
  createSink(streamed: boolean): ResponseSink;
  /** Converts an error response to the error for the client. */
  toError(answer: UpstreamResponse): Error;
}
