import type { Clock } from '../core/clock.ts';
import type { UpstreamHeaders, UpstreamRequest, UpstreamTransport } from './transport.ts';

/** A complete response in memory. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly body: Buffer;
}

/** The size and time limits of a buffered request. */
export interface BufferedRequestLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Rejects a response with any other status without reading its body. */
  readonly requiredStatus?: number;
}

/** Thrown if a response does not meet `BufferedRequestLimits`. The message states the reason. */
export class BufferedResponseError extends Error {
  override readonly name = 'BufferedResponseError';
}

/**
 * Sends one request and buffers the response. Not for client requests, because it does not stream.
 * @throws BufferedResponseError if there is no complete response within the time limit, if the response is too large,
 * or if it does not have the required status
 * @throws Error of the transport if the connection fails
 */
export function sendBufferedRequest(
  transport: UpstreamTransport,
  clock: Clock,
  request: UpstreamRequest,
  { timeoutMs, maxBytes, requiredStatus }: BufferedRequestLimits,
): Promise<BufferedResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let head: { status: number; headers: UpstreamHeaders } | undefined;
    // A call may fail before it can be cancelled.
    let cancel = (): void => undefined;
    const fail = (error: Error) => {
      timer.cancel();
      cancel();
      reject(error);
    };
    const timer = clock.after(timeoutMs, () =>
      fail(new BufferedResponseError(`there was no complete response within ${timeoutMs / 1000} s`)),
    );
    cancel = transport.dispatch(request, {
      onConnected() {
        // The timer above covers all phases of this call.
      },
      onHead(status, headers) {
        if (requiredStatus !== undefined && status !== requiredStatus)
          fail(new BufferedResponseError(`the status was ${status} instead of ${requiredStatus}`));
        head = { status, headers };
      },
      onData(chunk) {
        size += chunk.length;
        if (size > maxBytes)
          fail(new BufferedResponseError(`the response is larger than ${maxBytes >> 20 || 1} MB`));
        chunks.push(chunk);
      },
      onEnd() {
        timer.cancel();
        resolve({ status: head?.status ?? 0, headers: head?.headers ?? {}, body: Buffer.concat(chunks) });
      },
      onError: fail,
    });
  });
}
