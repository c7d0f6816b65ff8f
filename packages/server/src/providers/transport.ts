import type { Readable } from 'node:stream';
import type { OutboundConnectionOptions } from './outbound-connections.ts';
import type { SigningConfig } from './signing/signing-config.ts';

/** A request to a provider. `headers` is a flat list: name, value, name, value … */
export interface UpstreamRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  /** The body. A stream is forwarded while it is received, and no faster than the provider reads it. */
  readonly body: Buffer | Readable | null;
  /** Time limit for the TCP and TLS handshake in milliseconds. */
  readonly connectMs: number;
  /** Proxy, certificate authorities and client certificate, if configured. */
  readonly via?: OutboundConnectionOptions | undefined;
  /**
   * The organization that causes the request. It determines which private addresses are allowed. Only
   * requests of the same organization share connections, so that a late response cannot be mistaken for that
   * of another organization.
   */
  readonly orgId?: string | undefined;
  /** Whether the request may connect to link-local addresses. Set only for a configured metadata service. */
  readonly unguarded?: boolean | undefined;
  /** How to sign the request, for providers without an API key. */
  readonly signing?: SigningConfig | undefined;
}

/** The status and headers of a provider's response. */
export interface UpstreamResponseHead {
  readonly status: number;
  readonly headers: UpstreamHeaders;
}

/** A provider's response with its complete body. */
export interface UpstreamResponse extends UpstreamResponseHead {
  readonly body: Buffer;
}

/** Pauses and resumes the receipt of a response body. */
export interface FlowControl {
  pause(): void;
  resume(): void;
}

/**
 * Receives a provider's response. The methods are called in the order in which they are declared. The last
 * call is exactly one of `onEnd` and `onError`.
 */
export interface UpstreamResponseHandler {
  /** Called when the request has a connected socket. From then on, `abort` closes this socket. */
  onConnected(): void;
  onHead(status: number, headers: UpstreamHeaders, flow: FlowControl): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** Response headers by lowercase name. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Sends requests to providers. `dispatch` never throws and returns a function that cancels the request. */
export interface UpstreamTransport {
  dispatch(request: UpstreamRequest, handler: UpstreamResponseHandler): () => void;
  close(): Promise<void>;
}

/** Thrown if a request cannot be written as HTTP/1.1. Nothing was sent. */
export class UnsendableRequestError extends Error {
  override readonly name = 'UnsendableRequestError';
  readonly code = 'unsendable';
}

/** Thrown if a response is not valid HTTP/1.1 (RFC 9112). `code` states why it is invalid. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
  readonly code: string;

  constructor(code: MalformedResponseCode) {
    super(`the response is not valid HTTP/1.1: ${code}`);
    this.code = code;
  }
}

/** Why a response is not valid HTTP/1.1. */
export type MalformedResponseCode =
  | 'status_line'
  | 'header'
  | 'header_too_large'
  | 'switched_protocols'
  | 'content_length'
  | 'transfer_encoding'
  | 'chunk';

/** Thrown if the connection ended before the response was complete. */
export class ConnectionClosedEarlyError extends Error {
  override readonly name = 'ConnectionClosedEarlyError';
  readonly code = 'closed_early';

  constructor() {
    super('the connection was closed before the response was complete');
  }
}
