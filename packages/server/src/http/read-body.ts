import type { IncomingMessage } from 'node:http';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';

/** Time limit of a small body. */
const BODY_MS = 30_000;
/** With `drop`, Floe responds without waiting for the rest of a body that is larger than this. */
const DROPPED_BYTES = 16 * 1024 * 1024;

/** Thrown if the client disconnected before its request was complete. No response is sent. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError';
}

/** The options of `readRequestBody`. */
export interface BodyReadOptions {
  readonly limitBytes: number;
  /**
   * What happens to a body over the limit: `refuse` rejects it, `drop` keeps its beginning and discards the
   * rest. With `drop`, the body of a request may be incomplete.
   */
  readonly onExcess: 'refuse' | 'drop';
}

/**
 * Reads the body of a small request, regardless of its content type.
 *
 * @throws Fault `request_too_large`, `request_timeout`; `RequestAbortedError` if the client
 * disconnects
 */
export function readRequestBody(
  req: IncomingMessage,
  clock: Clock,
  limits: BodyReadOptions,
): Promise<Buffer> {
  if (req.complete && req.readableLength === 0 && req.readableEnded) return Promise.resolve(Buffer.alloc(0));
  const { limitBytes, onExcess } = limits;
  return new Promise((resolve, reject) => {
    const kept: Buffer[] = [];
    let size = 0;
    const over = (failure: Error | null) => {
      timer.cancel();
      req.off('data', take).off('end', whole).off('close', gone).off('error', gone);
      req.on('error', ignore);
      req.resume();
      if (failure) reject(failure);
      else resolve(kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept));
    };
    const timer = clock.after(BODY_MS, () =>
      over(
        new Fault(
          'request_timeout',
          'The request body did not arrive within 30 seconds. Check the connection, then send the request again.',
        ),
      ),
    );
    const take = (chunk: Buffer) => {
      const room = limitBytes - size;
      size += chunk.length;
      if (room > 0) kept.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      if (onExcess === 'refuse' && size > limitBytes) over(tooLarge(limitBytes));
      else if (size > DROPPED_BYTES) over(null);
    };
    const whole = () => over(null);
    const gone = () => over(new RequestAbortedError('the client disconnected while sending its request'));
    req.on('data', take).on('end', whole).on('close', gone).on('error', gone);
  });
}

function tooLarge(limit: number): Fault {
  return new Fault('request_too_large', `The request body must be at most ${Math.floor(limit / 1024)} KB.`);
}

function ignore(): void {
  // 'close' reports the end of the connection.
}
