import type { Socket } from 'node:net';
import type { SocketStep } from './fake-response.ts';
import type { TestGate } from './gate.ts';
import { type HeaderLine, type Http1MessageHead, Http1MessageReader } from './http1-reader.ts';

/** A request that the upstream received. Available as soon as the request's head is complete. */
export interface ReceivedRequest {
  /** When the head was complete, in milliseconds of the monotonic clock. */
  readonly receivedAtMs: number;
  readonly method: string;
  /** Request target with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly HeaderLine[];
  /** Body without its framing. Empty until it is complete. */
  body: Buffer;
  /** Whether the client disconnected before the upstream had sent everything. */
  isAborted: boolean;
  /** Identifies the connection of the request. */
  readonly socketId: number;
  /** Resolves when the upstream has finished this request or the client has disconnected. */
  readonly settled: Promise<void>;
}

/** The callbacks of `serveConnection`. */
export interface ConnectionCallbacks {
  readonly gate: TestGate;
  /** Records a request. Returns its index, starting with 0. */
  recordRequest(request: ReceivedRequest): number;
  /** Returns the steps for a request whose body is complete. */
  planSteps(request: ReceivedRequest, index: number): Promise<readonly SocketStep[]>;
}

interface OpenRequest {
  readonly request: ReceivedRequest;
  readonly index: number;
  readonly parts: Buffer[];
  readonly settle: () => void;
}

/**
 * Reads requests from one connection and responds to them one after the other, as HTTP/1.1
 * requires.
 */
export function serveConnection(socket: Socket, socketId: number, exchanges: ConnectionCallbacks): void {
  const disconnected = new AbortController();
  const unsettled = new Set<OpenRequest>();
  let incoming: OpenRequest | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isDoomed = false;
  let closedHere = false;

  const answer = async (current: OpenRequest) => {
    const steps: readonly SocketStep[] = isDoomed
      ? [{ do: 'reset' }]
      : await exchanges.planSteps(current.request, current.index);
    for (const step of steps) {
      if (disconnected.signal.aborted) return;
      isDoomed ||= step.do === 'doom';
      closedHere ||= step.do === 'fin' || step.do === 'reset';
      await performStep(step, socket, exchanges.gate, disconnected.signal);
    }
    if (disconnected.signal.aborted) return;
    unsettled.delete(current);
    current.settle();
  };
  const reader = new Http1MessageReader('request', {
    head(head) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const request = toReceivedRequest(head, socketId, promise);
      incoming = { request, index: exchanges.recordRequest(request), parts: [], settle: resolve };
      unsettled.add(incoming);
    },
    data: (bytes) => void incoming?.parts.push(bytes),
    end() {
      if (!incoming) return;
      const current = incoming;
      current.request.body = Buffer.concat(current.parts);
      turn = turn
        .then(() => answer(current))
        .catch((error: unknown) => {
          // An error in the test's `respond`: disconnect the client, then let the test runner report the
          // error.
          socket.destroy();
          throw error;
        });
    },
    broken: () => void socket.destroy(),
  });
  socket.on('data', (bytes) => reader.push(Buffer.from(bytes)));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    disconnected.abort();
    for (const { request, settle } of unsettled) {
      request.isAborted = !closedHere;
      settle();
    }
  });
}

function toReceivedRequest(
  head: Http1MessageHead,
  socketId: number,
  settled: Promise<void>,
): ReceivedRequest {
  const [method = '', path = ''] = head.startLine.split(' ');
  return {
    receivedAtMs: performance.now(),
    method,
    path,
    headers: head.headers,
    rawHeaders: head.rawHeaders,
    body: Buffer.alloc(0),
    isAborted: false,
    socketId,
    settled,
  };
}

function performStep(
  step: SocketStep,
  socket: Socket,
  gate: TestGate,
  disconnected: AbortSignal,
): Promise<void> | void {
  switch (step.do) {
    case 'write':
      // Waits for one turn of the event loop between writes, so that they are separate TCP segments.
      return new Promise((resolve) => {
        socket.write(step.bytes, () => setImmediate(resolve));
      });
    case 'gate':
      return gate.pass(disconnected);
    case 'silence':
      return new Promise((resolve) =>
        disconnected.addEventListener('abort', () => resolve(), { once: true }),
      );
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
