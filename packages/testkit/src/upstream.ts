import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Delivery, deliver, type Step, usualDelivery } from './answer.ts';
import { type ReceivedRequest, serve } from './connection.ts';
import type { UpstreamFault } from './faults.ts';
import { Gate } from './gate.ts';
import type { Recording } from './recordings.ts';
import { replaying } from './replay.ts';
import { answerOf, deliveryOf, jsonReply, type Reply } from './reply.ts';

type Source =
  /** Called with each request and its number, from 0. */
  | { readonly respond: (request: ReceivedRequest, index: number) => Reply | Promise<Reply> }
  /** Answers what was recorded for the method, path and stream flag; 404 for anything else. */
  | { readonly recordings: readonly Recording[] }
  /** Answers in this order; the last one stays. */
  | { readonly script: readonly Reply[] };

export type UpstreamOptions = Source & {
  /** Each fault stands for its `times` requests, then the next; after the last one the upstream is healthy. */
  readonly faults?: readonly UpstreamFault[];
  /** Delivery of every answer that does not choose for itself. */
  readonly delivery?: Partial<Delivery>;
};

export interface Upstream {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string;
  /** Every request, in the order their heads were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Where paced answers and gated faults wait. */
  readonly gate: Gate;
  /** Connections opened so far, and how many of them are open. */
  connections(): { opened: number; open: number };
  /** Resolves with the first `count` requests once that many have arrived. */
  received(count: number): Promise<readonly ReceivedRequest[]>;
  /** Replaces the faults still to come; none heals the upstream, reopening a port that was closed. */
  setFaults(...faults: readonly UpstreamFault[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A real server on a free port of 127.0.0.1 that replays answers in any chunking, breaks in the ways of
 * `UPSTREAM_FAULTS` and writes down all it received. Speaks HTTP over a bare socket, since half of the faults are
 * things node:http refuses to say.
 */
export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const respond = responder(options);
  const faults = faultQueue();
  const journal = openJournal();
  const gate = new Gate();
  let opened = 0;
  let origin = '';

  const plan = async (request: ReceivedRequest, index: number): Promise<readonly Step[]> => {
    const fault = faults.take();
    const reply = await respond(request, index);
    const answer = answerOf(reply);
    const delivery = { ...usualDelivery(answer), ...options.delivery, ...deliveryOf(reply) };
    if (!fault) return deliver(answer, delivery);
    return fault.plan({ request, answer, delivery, nowMs: Date.now(), origin });
  };
  const port = loopbackPort((socket) => serve(socket, opened++, { gate, list: journal.list, plan }));
  const setFaults = async (...next: readonly UpstreamFault[]) => {
    faults.set(next);
    if (next[0]?.closedPort) await port.close();
    else await port.open();
  };
  origin = `http://127.0.0.1:${await port.open()}`;
  await setFaults(...(options.faults ?? []));
  return {
    url: origin,
    requests: journal.requests,
    gate,
    connections: () => ({ opened, open: port.sockets.size }),
    received: journal.received,
    setFaults,
    close: port.close,
  };
}

/** A port that can be closed and opened again under the same number. */
function loopbackPort(serveSocket: (socket: Socket) => void) {
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

function openJournal() {
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

function responder(options: UpstreamOptions) {
  if ('respond' in options) return options.respond;
  if ('recordings' in options) return replaying(options.recordings);
  const { script } = options;
  return (_: ReceivedRequest, index: number): Reply =>
    script[Math.min(index, script.length - 1)] ?? jsonReply({ error: { message: 'empty script' } }, 500);
}

function faultQueue() {
  let queue: { fault: UpstreamFault; left: number }[] = [];
  return {
    set(faults: readonly UpstreamFault[]): void {
      queue = faults.map((fault) => ({ fault, left: fault.times }));
    },
    take(): UpstreamFault | undefined {
      while (queue[0] && queue[0].left <= 0) queue.shift();
      const first = queue[0];
      if (first) first.left -= 1;
      return first?.fault;
    },
  };
}
