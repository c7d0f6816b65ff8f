import type { Fault } from '@floe/contract/faults';
import type { UpstreamRequest, UpstreamResponse, UpstreamResponseHead } from '../providers/transport.ts';
import type { UploadStream } from './opaque/upload-stream.ts';

/**
 * Sends a provider's response to the client. The methods throw a `Fault` as soon as they detect an error in the
 * response.
 */
export interface ResponseSink {
  /**
   * Processes a part of the response. Returns false if the client reads more slowly than the provider sends.
   */
  push(chunk: Buffer): boolean;
  /** Ends the response. Throws if the response is incomplete. */
  end(): void;
  /** Whether the provider has sent content. Content ends the first-token deadline. */
  readonly hasContent: boolean;
  /** Whether content has been sent to the client, so that no other attempt can take over. */
  readonly isContentSent: boolean;
  /** Whether the client has the complete response, although the provider has not ended it. */
  readonly isComplete: boolean;
  /** Whether the response may be an event stream according to its content. Its headers do not say so. */
  readonly isStream?: boolean;
  /**
   * Tries to complete the response after the connection failed or became silent. Returns true if the provider
   * had already sent the finish reason, so that the client now has the complete response. A response whose
   * sink lacks this method counts as incomplete.
   */
  tryComplete?(): boolean;
  /** Records the usage so far, because the attempt failed during the response. Sends nothing to the client. */
  abort(): void;
  /**
   * Formats a fault that occurs after content as the text that ends the client's stream. Returns null if Floe
   * forwards the provider's own bytes; the connection is then closed.
   */
  formatError(fault: Fault): string | null;
}

/** The plan for an attempt: the request to send to the target, and how to process its response. */
export interface AttemptPlan {
  readonly request: UpstreamRequest;
  /** Paths of the optional request fields that are omitted because the target does not support them. */
  readonly dropped: readonly string[];
  /** The request body, if it is forwarded while it is received. */
  readonly upload?: UploadStream;
  /** If present, creates the sink for a response of any status, instead of `createSink` and `toError`. */
  readonly createRawSink?: (head: UpstreamResponseHead) => ResponseSink;
  /**
   * Creates a sink for a 2xx response. `streamed` tells whether the response is an event stream, regardless
   * of what the client requested.
   */
  createSink(streamed: boolean): ResponseSink;
  /** Converts an error response to the error for the client. */
  toError(answer: UpstreamResponse): Error;
}
