import type { Clock } from '../core/clock.ts';
import type { Transport, UpstreamHeaders, UpstreamRequest } from './transport.ts';

/** An answer held in memory. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly body: Buffer;
}

export interface BufferedCallLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Any other status rejects at once, its body unread. */
  readonly requiredStatus?: number;
}

/**
 * One call off the hot path, its answer held whole. Rejects when no answer came within the limit, when it is
 * longer than allowed, and with the network's own error.
 */
export function callBuffered(
  transport: Transport,
  clock: Clock,
  request: UpstreamRequest,
  { timeoutMs, maxBytes, requiredStatus }: BufferedCallLimits,
): Promise<BufferedResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let head: { status: number; headers: UpstreamHeaders } | undefined;
    // A call may fail before there is a way to cancel it.
    let cancel = (): void => undefined;
    const fail = (error: Error) => {
      timer.cancel();
      cancel();
      reject(error);
    };
    const timer = clock.after(timeoutMs, () => fail(new Error(`no response within ${timeoutMs / 1000} s`)));
    cancel = transport.dispatch(request, {
      onConnected() {
        // The one timer above covers every phase of this small call.
      },
      onHead(status, headers) {
        if (requiredStatus !== undefined && status !== requiredStatus) fail(new Error(`status ${status}`));
        head = { status, headers };
      },
      onData(chunk) {
        size += chunk.length;
        if (size > maxBytes) fail(new Error(`the response is larger than ${maxBytes >> 20 || 1} MB`));
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
