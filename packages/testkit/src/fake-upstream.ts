import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type AnswerDelivery, answerSteps, defaultDelivery, type SocketStep } from './fake-answer.ts';
import { Gate } from './gate.ts';
import type { InjectedFault } from './injected-fault.ts';
import type { Recording } from './recordings.ts';
import { createReplayResponder } from './replay-responder.ts';
import { type ReceivedRequest, serveConnection } from './upstream-connection.ts';
import { jsonReply, toAnswerDelivery, toFakeAnswer, type UpstreamReply } from './upstream-reply.ts';

type AnswerSource =
  /** Called with each request and its number, from 0. */
  | { readonly respond: (request: ReceivedRequest, index: number) => UpstreamReply | Promise<UpstreamReply> }
  /** Answers what was recorded for the method, path and stream flag; 404 for anything else. */
  | { readonly recordings: readonly Recording[] }
  /** Answers in this order; the last one stays. */
  | { readonly script: readonly UpstreamReply[] };

export type FakeUpstreamOptions = AnswerSource & {
  /** Each fault stands for its `times` requests, then the next; after the last one the upstream is healthy. */
  readonly faults?: readonly InjectedFault[];
  /** Delivery of every answer that does not choose for itself. */
  readonly delivery?: Partial<AnswerDelivery>;
};

export interface FakeUpstream {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string;
  /** Every request, in the order their heads were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Where paced answers and gated faults wait. */
  readonly gate: Gate;
  /** Connections opened so far, and how many of them are open. */
  connections(): { opened: number; open: number };
  /** Resolves with the first `count` requests once that many have arrived. */
  waitForRequests(count: number): Promise<readonly ReceivedRequest[]>;
  /** Replaces the faults still to come; none heals the upstream, reopening a port that was closed. */
  setFaults(...faults: readonly InjectedFault[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A real server on a free port of 127.0.0.1 that replays answers in any chunking, breaks in the ways of
 * `INJECTED_FAULTS` and writes down all it received. Speaks HTTP over a bare socket, since half of the faults are
 * things node:http refuses to say.
 */
export async function startFakeUpstream(options: FakeUpstreamOptions): Promise<FakeUpstream> {
  const respond = createResponder(options);
  const faults = createFaultQueue();
  const journal = createRequestJournal();
  const gate = new Gate();
  let opened = 0;
  let origin = '';

  const plan = async (request: ReceivedRequest, index: number): Promise<readonly SocketStep[]> => {
    const fault = faults.take();
    const reply = await respond(request, index);
    const answer = toFakeAnswer(reply);
    const delivery = { ...defaultDelivery(answer), ...options.delivery, ...toAnswerDelivery(reply) };
    if (!fault) return answerSteps(answer, delivery);
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

/** A port that can be closed and opened again under the same number. */
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
    script[Math.min(index, script.length - 1)] ?? jsonReply({ error: { message: 'empty script' } }, 500);
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
