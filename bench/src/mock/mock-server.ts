// The mock upstream for machines without a C compiler: what `mock.c` does, on bare sockets.
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { BURST_EVENTS, decodeBlocks } from './answers.ts';

const [port] = process.argv.slice(2).map(Number);
const [answer, first, event, burst, last] = decodeBlocks(readFileSync(0));
if (!port || !answer || !first || !event || !burst || !last)
  throw new Error('usage: mock-server <port> < blocks');

const NONE: Buffer = Buffer.alloc(0);
/** As far as a stream's `"user"` is looked for. */
const KEPT_BYTES = 8192;

/** What of one request has arrived. */
class Arriving {
  #kept: Buffer = NONE;
  #bodyLeft = -1;
  #chunked = false;
  #tail = '';

  /** Takes bytes; the request's beginning once it has arrived whole. */
  take(bytes: Buffer): string | null {
    let body = bytes;
    if (this.#kept.length < KEPT_BYTES)
      this.#kept = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    if (this.#bodyLeft === -1) {
      const end = this.#kept.indexOf('\r\n\r\n');
      if (end === -1) return null;
      const head = this.#kept.toString('latin1', 0, end).toLowerCase();
      this.#chunked = head.includes('\ntransfer-encoding:');
      this.#bodyLeft = Number(/\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
      body = this.#kept.subarray(end + 4);
    }
    if (!this.#isOver(body)) return null;
    const start = this.#kept.toString('latin1', 0, KEPT_BYTES);
    this.#kept = NONE;
    this.#bodyLeft = -1;
    this.#tail = '';
    return start;
  }

  #isOver(body: Buffer): boolean {
    if (!this.#chunked) {
      this.#bodyLeft -= body.length;
      return this.#bodyLeft <= 0;
    }
    this.#tail = (this.#tail + body.toString('latin1', Math.max(0, body.length - 5))).slice(-5);
    return this.#tail === '0\r\n\r\n';
  }
}

function reply(socket: Socket, request: string): void {
  const asked = /"user(?:_id)?" *: *"c(\d+)d(\d+)"/.exec(request);
  if (!asked) return void socket.write(answer ?? NONE);
  socket.write(first ?? NONE);
  const left = Number(asked[1]) - 1;
  if (asked[2] === '0') flood(socket, left);
  else pace(socket, left, Number(asked[2]), performance.now());
}

function flood(socket: Socket, events: number): void {
  let left = events;
  while (left > 0) {
    const many = left >= BURST_EVENTS;
    left -= many ? BURST_EVENTS : 1;
    const flowing = socket.write((many ? burst : event) ?? NONE);
    if (!flowing) return void socket.once('drain', () => flood(socket, left));
  }
  socket.write(last ?? NONE);
}

function pace(socket: Socket, left: number, delayMs: number, since: number): void {
  if (socket.destroyed) return;
  if (left <= 0) return void socket.write(last ?? NONE);
  const due = since + delayMs;
  setTimeout(() => {
    socket.write(event ?? NONE);
    pace(socket, left - 1, delayMs, due);
  }, due - performance.now());
}

createServer({ noDelay: true }, (socket) => {
  const arriving = new Arriving();
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    const request = arriving.take(bytes);
    if (request !== null) reply(socket, request);
  });
}).listen({ port, host: '127.0.0.1', backlog: 4096 });
