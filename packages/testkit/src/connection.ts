import type { Socket } from 'node:net';
import type { Step } from './answer.ts';
import type { Gate } from './gate.ts';
import { type HeaderLine, type MessageHead, MessageReader } from './http1.ts';

/** One request as the upstream saw it. Listed as soon as its head is complete. */
export interface ReceivedRequest {
  /** When the head was complete, in milliseconds of the monotonic clock. */
  readonly at: number;
  readonly method: string;
  /** Request target with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly HeaderLine[];
  /** Decoded from its framing; empty until the whole body is there. */
  body: Buffer;
  /** The caller went away before the upstream had sent all it meant to send. */
  aborted: boolean;
  /** Requests with the same number came over one connection. */
  readonly socketId: number;
  /** Resolves when the upstream is done with this request, or its caller gone. */
  readonly settled: Promise<void>;
}

export interface Exchanges {
  readonly gate: Gate;
  /** Enters a request in the journal; returns its number, from 0. */
  list(request: ReceivedRequest): number;
  /** What to do about a request whose body is complete. */
  plan(request: ReceivedRequest, index: number): Promise<readonly Step[]>;
}

interface OpenRequest {
  readonly request: ReceivedRequest;
  readonly index: number;
  readonly parts: Buffer[];
  readonly settle: () => void;
}

/** Reads requests off one connection and answers them one after the other, as HTTP/1.1 orders it. */
export function serve(socket: Socket, socketId: number, exchanges: Exchanges): void {
  const gone = new AbortController();
  const unsettled = new Set<OpenRequest>();
  let arriving: OpenRequest | undefined;
  let turn: Promise<void> = Promise.resolve();
  let doomed = false;
  let closedHere = false;

  const answer = async (current: OpenRequest) => {
    const steps: readonly Step[] = doomed
      ? [{ do: 'reset' }]
      : await exchanges.plan(current.request, current.index);
    for (const step of steps) {
      if (gone.signal.aborted) return;
      doomed ||= step.do === 'doom';
      closedHere ||= step.do === 'fin' || step.do === 'reset';
      await perform(step, socket, exchanges.gate, gone.signal);
    }
    if (gone.signal.aborted) return;
    unsettled.delete(current);
    current.settle();
  };
  const reader = new MessageReader('request', {
    head(head) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const request = received(head, socketId, promise);
      arriving = { request, index: exchanges.list(request), parts: [], settle: resolve };
      unsettled.add(arriving);
    },
    data: (bytes) => void arriving?.parts.push(bytes),
    end() {
      if (!arriving) return;
      const current = arriving;
      current.request.body = Buffer.concat(current.parts);
      turn = turn
        .then(() => answer(current))
        .catch((error: unknown) => {
          // A mistake in the test's own `respond`: free the caller, then let the runner report it.
          socket.destroy();
          throw error;
        });
    },
    broken: () => void socket.destroy(),
  });
  socket.on('data', (bytes) => reader.push(Buffer.from(bytes)));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    gone.abort();
    for (const { request, settle } of unsettled) {
      request.aborted = !closedHere;
      settle();
    }
  });
}

function received(head: MessageHead, socketId: number, settled: Promise<void>): ReceivedRequest {
  const [method = '', path = ''] = head.startLine.split(' ');
  return {
    at: performance.now(),
    method,
    path,
    headers: head.headers,
    rawHeaders: head.rawHeaders,
    body: Buffer.alloc(0),
    aborted: false,
    socketId,
    settled,
  };
}

function perform(step: Step, socket: Socket, gate: Gate, gone: AbortSignal): Promise<void> | void {
  switch (step.do) {
    case 'write':
      // A turn of the event loop between writes, so that they leave as segments of their own.
      return new Promise((resolve) => {
        socket.write(step.bytes, () => setImmediate(resolve));
      });
    case 'gate':
      return gate.pass(gone);
    case 'silence':
      return new Promise((resolve) => gone.addEventListener('abort', () => resolve(), { once: true }));
    case 'fin':
      return new Promise((resolve) => {
        socket.end(() => resolve());
      });
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'doom':
      return;
  }
}
