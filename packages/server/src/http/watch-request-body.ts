import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../core/clock.ts';

/** Time limit of a request body under `/api`. The size limit of these bodies is 1 MB. */
const BODY_MS = 30_000;
/** How many bytes of a rejected body are read, so that the client can read the response. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 10_000;

/**
 * Watches a request whose body a framework reads. Calls `onStalled` if the body does not arrive in time.
 * If the response is complete before the body is, discards the rest of the body. Closing a connection
 * with unread input would reset it, and the response would be lost (RFC 9112, section 9.6).
 */
export function watchRequestBody(
  req: IncomingMessage,
  res: ServerResponse,
  clock: Clock,
  onStalled: () => void,
): void {
  const timer = clock.after(BODY_MS, () => {
    if (!req.complete && !res.headersSent) onStalled();
  });
  req.once('end', () => timer.cancel());
  res.once('close', () => timer.cancel());
  res.once('finish', () => {
    if (!req.complete && res.shouldKeepAlive) discardBody(req, clock);
  });
}

function discardBody(req: IncomingMessage, clock: Clock): void {
  const { socket } = req;
  const limit = socket.bytesRead + LINGER_BYTES;
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  req.on('data', () => {
    if (socket.bytesRead > limit) socket.destroy();
  });
  req.once('close', () => timer.cancel());
  req.resume();
}
