import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  /** The given URL with the address of the proxy. */
  readonly url: string;
  /** Breaks all connections and rejects new ones. */
  cut(): void;
  /** Keeps connections open without passing on data, like a server that hangs. */
  freeze(): void;
  /** Delays data in both directions by this many milliseconds. */
  delay(ms: number): void;
  /** Passes on data again. Broken connections stay broken. */
  restore(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a server. Tests use it to break connections. */
export async function startTcpProxy(to: string): Promise<TcpProxy> {
  const target = new URL(to);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let delayMs = 0;
  const server = createServer((client) => {
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = createConnection({ host: target.hostname, port: Number(target.port) });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      forwardBytes(from, into, () => delayMs);
      from.on('error', () => into.destroy());
      from.on('close', () => {
        into.destroy();
        pairs.delete(pair);
      });
      if (state === 'frozen') from.pause();
    }
  });
  const through = new URL(to);
  through.port = String(await listen(server));
  const breakAll = () => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };
  return {
    url: through.href,
    cut() {
      state = 'cut';
      breakAll();
    },
    freeze() {
      state = 'frozen';
      for (const sockets of pairs) for (const socket of sockets) socket.pause();
    },
    delay(ms) {
      delayMs = ms;
    },
    restore() {
      state = 'open';
      delayMs = 0;
      for (const sockets of pairs) for (const socket of sockets) socket.resume();
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Passes data on in order, even if the delay changes. */
function forwardBytes(from: Socket, into: Socket, delayMs: () => number): void {
  const waiting: { readonly dueAt: number; readonly bytes: Buffer }[] = [];
  const send = () => {
    const now = performance.now();
    for (let first = waiting[0]; first && first.dueAt <= now; first = waiting[0]) {
      waiting.shift();
      if (!into.destroyed) into.write(first.bytes);
    }
    if (waiting[0]) setTimeout(send, waiting[0].dueAt - now);
  };
  from.on('data', (bytes: Buffer) => {
    const ms = delayMs();
    if (ms === 0 && waiting.length === 0) {
      into.write(bytes);
      return;
    }
    waiting.push({ dueAt: performance.now() + ms, bytes });
    if (waiting.length === 1) setTimeout(send, ms);
  });
}
