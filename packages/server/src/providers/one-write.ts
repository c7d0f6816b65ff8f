import type { Socket } from 'node:net';

/** Text up to this size goes from V8 to the kernel without a request object or a second copy. */
const ONE_WRITE_BYTES = 16 * 1024;

type Gathered = Parameters<NonNullable<Socket['_writev']>>[0];

/**
 * Makes a request's head and its short body leave in one plain write: a gathered write of two pieces costs
 * several times as much (decisions/0016-hot-path.md). Works on TCP and TLS sockets.
 */
export function writeAtOnce(socket: Socket): void {
  const gather = socket._writev?.bind(socket);
  if (!gather) return;
  const write = (pieces: Gathered, done: (error?: Error | null) => void): void => {
    const text = textOf(pieces);
    if (text === null) gather(pieces, done);
    else socket._write(text, 'latin1', done);
  };
  socket._writev = write;
}

/** All pieces as one Latin-1 text, in which each byte is one character; null when they are long or in another encoding. */
function textOf(pieces: Gathered): string | null {
  let text = '';
  for (const { chunk, encoding } of pieces) {
    const length: unknown = chunk.length;
    if (typeof length !== 'number' || text.length + length > ONE_WRITE_BYTES) return null;
    if (Buffer.isBuffer(chunk)) text += chunk.toString('latin1');
    else if (encoding === 'latin1' && typeof chunk === 'string') text += chunk;
    else return null;
  }
  return text;
}
