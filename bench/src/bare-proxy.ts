// The floor: what `node:http` and undici cost when nothing is done between them. No keys, no rows, no checks.
//   bare-proxy <port> <upstream port>
import { createServer, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: null, pipelining: 1 });
const HEADERS = ['content-type', 'application/json', 'authorization', 'Bearer sk-upstream'];

class Answer implements Dispatcher.DispatchHandler {
  #res: ServerResponse;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#res.on('close', () => {
      if (!this.#res.writableFinished) controller.abort(new Error('the client disconnected'));
    });
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const { 'content-length': length, 'content-type': type } = headers;
    this.#res.writeHead(status, {
      'content-type': typeof type === 'string' ? type : 'application/json',
      ...(typeof length === 'string' ? { 'content-length': length } : {}),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#res.write(chunk)) return;
    controller.pause();
    this.#res.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#res.end();
  }

  onResponseError(): void {
    this.#res.destroy();
  }
}

createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    pool.dispatch(
      { method: 'POST', path: req.url ?? '/', headers: HEADERS, body: body ?? null },
      new Answer(res),
    );
  });
}).listen({ port, host: '127.0.0.1', backlog: 4096 });
