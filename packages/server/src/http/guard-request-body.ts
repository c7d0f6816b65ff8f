import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../core/clock.ts';

/** A body under `/api` has 1 MB at most; one that takes longer than this is not coming. */
const BODY_MS = 30_000;
/** What a refused body is read on for, so that its sender gets to read the refusal. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 10_000;

/**
 * Watches a request whose body a framework reads: calls `stalled` when the body is not whole in time, and
 * throws away what still comes when the answer was whole first. RFC 9112 section 9.6: closing with unread
 * input resets the connection and loses the answer.
 */
export function guardRequestBody(
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
