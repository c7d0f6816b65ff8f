import type { Socket } from 'node:net';
import type { Clock, Timer } from '../core/clock.ts';

/**
 * How long a client may read nothing of a response. Envoy has the same default (`stream_flush_timeout`). A shorter
 * limit would close the connections of slow readers: Linux reports progress only when a third of its send buffer,
 * up to about 1 MB, is free.
 */
const MAX_UNREAD_MS = 300_000;

interface Progress {
  sentBytes: number;
  since: number;
}

/**
 * Closes connections whose client does not read its response. Otherwise, the response and its exchange would use
 * memory and capacity for as long as the client keeps the connection open.
 */
export class UnreadResponseCloser {
  readonly #clock: Clock;
  readonly #checkIntervalMs: number;
  readonly #open = new Map<Socket, Progress>();
  #timer: Timer | null = null;

  constructor(clock: Clock, checkIntervalMs: number) {
    this.#clock = clock;
    this.#checkIntervalMs = checkIntervalMs;
  }

  /** Observes a connection until it closes. */
  track(socket: Socket): void {
    this.#open.set(socket, { sentBytes: 0, since: this.#clock.monotonic() });
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size > 0) return;
      this.#timer?.cancel();
      this.#timer = null;
    });
    this.#timer ??= this.#schedule();
  }

  #schedule(): Timer {
    return this.#clock.after(this.#checkIntervalMs, () => {
      this.#check();
      this.#timer = this.#open.size > 0 ? this.#schedule() : null;
    });
  }

  #check(): void {
    const nowMs = this.#clock.monotonic();
    for (const [socket, progress] of this.#open) {
      if (socket.writableLength === 0) {
        progress.since = nowMs;
        continue;
      }
      const sentBytes = countSentBytes(socket);
      if (sentBytes !== progress.sentBytes) {
        progress.sentBytes = sentBytes;
        progress.since = nowMs;
      } else if (nowMs - progress.since > MAX_UNREAD_MS) socket.destroy();
    }
  }
}

/**
 * The number of bytes that the operating system has accepted. `writableLength` decreases only when a whole buffer
 * is sent, which can take minutes for a large response and a slow client. Node.js uses the same two fields for
 * `socket.setTimeout`.
 */
function countSentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null) return 0;
  return Number(Reflect.get(handle, 'bytesWritten')) - Number(Reflect.get(handle, 'writeQueueSize'));
}
