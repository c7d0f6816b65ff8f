import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import {
  createResponseSteps,
  getDefaultDelivery,
  type ResponseDelivery,
  type SocketStep,
} from './fake-response.ts';
import { TestGate } from './gate.ts';
import type { InjectedFault } from './injected-fault.ts';
import type { Recording } from './recordings.ts';
import { createReplayResponder } from './replay-responder.ts';
import { type ReceivedRequest, serveConnection } from './upstream-connection.ts';
import { createJsonReply, toFakeResponse, toResponseDelivery, type UpstreamReply } from './upstream-reply.ts';

type AnswerSource =
  /** Called with each request and its index, starting with 0. */
  | { readonly respond: (request: ReceivedRequest, index: number) => UpstreamReply | Promise<UpstreamReply> }
  /** Answers with the recording of the same method, path and stream flag. Otherwise 404. */
  | { readonly recordings: readonly Recording[] }
  /** Answers in this order. The last one is repeated. */
  | { readonly script: readonly UpstreamReply[] };

/** The options of `startFakeUpstream`. */
export type FakeUpstreamOptions = AnswerSource & {
  /**
   * Each fault applies to its `requestCount` requests, then the next fault. After the last one, the upstream
   * is healthy.
   */
  readonly faults?: readonly InjectedFault[];
  /** Delivery of answers that define none. */
  readonly delivery?: Partial<ResponseDelivery>;
};

/** A running fake upstream. */
export interface FakeUpstream {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  /** All requests, in the order in which their heads were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** The gate of paced answers and gated faults. */
  readonly gate: TestGate;
  /** Number of connections opened so far, and of open connections. */
  connections(): { opened: number; open: number };
  /** Resolves to the first `count` requests when that many have arrived. */
  waitForRequests(count: number): Promise<readonly ReceivedRequest[]>;
  /**
   * Replaces the remaining faults. Without arguments, the upstream becomes healthy and reopens a closed port.
   */
  setFaults(...faults: readonly InjectedFault[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a real server on a free port of 127.0.0.1. It sends responses in any chunking, can misbehave
 * as described by `INJECTED_FAULTS`, and records all requests. It uses plain sockets, because
 * node:http cannot produce half of the faults.
 */
export async function startFakeUpstream(options: FakeUpstreamOptions): Promise<FakeUpstream> {
  const respond = createResponder(options);
  const faults = createFaultQueue();
  const journal = createRequestJournal();
  const gate = new TestGate();
  let opened = 0;
  let origin = '';

  const plan = async (request: ReceivedRequest, index: number): Promise<readonly SocketStep[]> => {
    const fault = faults.take();
    const reply = await respond(request, index);
    const answer = toFakeResponse(reply);
    const delivery = { ...getDefaultDelivery(answer), ...options.delivery, ...toResponseDelivery(reply) };
    if (!fault) return createResponseSteps(answer, delivery);
    return fault.planSteps({ request, answer, delivery, nowMs: Date.now(), origin });
  };
  const port = createLoopbackPort((socket) =>
    serveConnection(socket, opened++, { gate, recordRequest: journal.list, planSteps: plan }),
  );
  const setFaults = async (...next: readonly InjectedFault[]) => {
    faults.set(next);
    if (next[0]?.isPortClosed) await port.close();
    else await port.open();
  };
  origin = `http://127.0.0.1:${await port.open()}`;
  await setFaults(...(options.faults ?? []));
  return {
    url: origin,
    requests: journal.requests,
    gate,
    connections: () => ({ opened, open: port.sockets.size }),
    waitForRequests: journal.received,
    setFaults,
    close: port.close,
  };
}

/** A port that can be closed and reopened with the same number. */
function createLoopbackPort(serveSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  let port = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveSocket(socket);
  });
  return {
    sockets,
    async open(): Promise<number> {
      if (server.listening) return port;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (typeof address === 'object' && address) port = address.port;
      return port;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

function createRequestJournal() {
  const requests: ReceivedRequest[] = [];
  const watchers: { count: number; resolve: (seen: readonly ReceivedRequest[]) => void }[] = [];
  return {
    requests,
    list(request: ReceivedRequest): number {
      requests.push(request);
      for (const { count, resolve } of watchers)
        if (requests.length >= count) resolve(requests.slice(0, count));
      return requests.length - 1;
    },
    received(count: number): Promise<readonly ReceivedRequest[]> {
      if (requests.length >= count) return Promise.resolve(requests.slice(0, count));
      return new Promise((resolve) => watchers.push({ count, resolve }));
    },
  };
}

function createResponder(options: FakeUpstreamOptions) {
  if ('respond' in options) return options.respond;
  if ('recordings' in options) return createReplayResponder(options.recordings);
  const { script } = options;
  return (_: ReceivedRequest, index: number): UpstreamReply =>
    script[Math.min(index, script.length - 1)] ??
    createJsonReply({ error: { message: 'empty script' } }, 500);
}

function createFaultQueue() {
  let queue: { fault: InjectedFault; left: number }[] = [];
  return {
    set(faults: readonly InjectedFault[]): void {
      queue = faults.map((fault) => ({ fault, left: fault.requestCount }));
    },
    take(): InjectedFault | undefined {
      while (queue[0] && queue[0].left <= 0) queue.shift();
      const first = queue[0];
      if (first) first.left -= 1;
      return first?.fault;
    },
  };
}
