import type { Readable } from 'node:stream';
import type { ConnectionOptions } from './outbound.ts';
import type { SigningConfig } from './signing/signing-config.ts';

/** One request to an upstream. Headers are a flat list: name, value, name, value … */
export interface UpstreamRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  /** A stream is sent as it comes and read no faster than the upstream takes it. */
  readonly body: Buffer | Readable | null;
  /** Deadline for the TCP and TLS handshake. */
  readonly connectMs: number;
  /** Proxy, authorities and client certificate, where any were configured. */
  readonly via?: ConnectionOptions | undefined;
  /** Requests of different pools never share a connection: a late answer of one cannot be taken for another's. */
  readonly pool?: string | undefined;
  /** To a metadata service the operator told us to ask: the one call that may reach link-local addresses. */
  readonly unguarded?: boolean | undefined;
  /** Who signs it on its way out, where a key alone is no credential. */
  readonly signing?: SigningConfig | undefined;
}

/** How an upstream's answer begins. */
export interface UpstreamResponseHead {
  readonly status: number;
  readonly headers: UpstreamHeaders;
}

/** An upstream's answer, its body whole. */
export interface UpstreamResponse extends UpstreamResponseHead {
  readonly body: Buffer;
}

/** The brakes of an answer under way. */
export interface FlowControl {
  pause(): void;
  resume(): void;
}

/** What an upstream's answer calls, in this order. Exactly one of `onEnd` and `onError` comes last. */
export interface UpstreamHandler {
  /** The request is on a connected socket; from here on `abort` closes it. */
  onConnected(): void;
  onHead(status: number, headers: UpstreamHeaders, flow: FlowControl): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A way to reach upstreams. `dispatch` never throws and returns the way to cancel. */
export interface Transport {
  dispatch(request: UpstreamRequest, handler: UpstreamHandler): () => void;
  close(): Promise<void>;
}

/** A request that cannot be put into HTTP/1.1; nothing of it was sent. */
export class UnsendableRequestError extends Error {
  override readonly name = 'UnsendableRequestError';
  readonly code = 'unsendable';
}

/** What came is no HTTP/1.1 answer (RFC 9112); `code` says what is wrong with it. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
  readonly code: string;

  constructor(code: MalformedResponseCode) {
    super(`not a valid HTTP/1.1 response: ${code}`);
    this.code = code;
  }
}

export type MalformedResponseCode =
  | 'status_line'
  | 'header'
  | 'header_too_large'
  | 'switched_protocols'
  | 'content_length'
  | 'transfer_encoding'
  | 'chunk';

/** The connection ended before the answer did, or before there was one. */
export class ClosedEarlyError extends Error {
  override readonly name = 'ClosedEarlyError';
  readonly code = 'closed_early';

  constructor() {
    super('the connection was closed before the response was complete');
  }
}
