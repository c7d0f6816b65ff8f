import type { Readable, Writable } from 'node:stream';
import type { OutputTail } from './output-tail.ts';

const TICK_MS = 50;
/** How long a job that has ended may be silent before its output counts as complete. */
const SILENCE_MS = 1_000;
/** Maximum output in buffers of the operating system when a job ends. More is from a daemon that it started. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Copies one output of a job to an output of this process, and records its end. */
export class OutputCopy {
  readonly #to: Writable;
  #bytes = 0;

  constructor(from: Readable, to: Writable, tail: OutputTail) {
    this.#to = to;
    from.on('data', (part: Buffer) => {
      tail.append(part);
      this.#bytes += part.length;
    });
    from.pipe(to, { end: false });
    // If our output is closed, the job sees the same error as without us.
    to.on('error', () => from.destroy());
  }

  /** The number of bytes that were read so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the reader of our output is slower than the job. */
  get isBlocked(): boolean {
    return this.#to.writableNeedDrain;
  }

  /** Resolves when the reader has received everything, or is gone. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#to.writableLength === 0 || this.#to.destroyed) return resolve();
      this.#to.once('close', resolve);
      this.#to.write('', () => resolve());
    });
  }
}

/**
 * Copies the output that a job wrote before its end, however slow our reader is. A daemon that the job started
 * may keep the output open, so this does not wait for its end. Only the time in which the job could have been
 * heard counts as silence.
 * @param closed resolves when the output has ended
 */
export async function copyRemainingOutput(
  copies: readonly OutputCopy[],
  closed: Promise<unknown>,
  wait: (ms: number) => Promise<unknown>,
): Promise<void> {
  const count = () => copies.reduce((sum, { bytes }) => sum + bytes, 0);
  const before = count();
  const ended = closed.then(() => true);
  let seen = before;
  for (let silentMs = 0; silentMs < SILENCE_MS && seen - before < MAX_BUFFERED_BYTES; ) {
    if (await Promise.race([ended, wait(TICK_MS).then(() => false)])) break;
    const isSilent = count() === seen && !copies.some(({ isBlocked }) => isBlocked);
    if (isSilent) silentMs += TICK_MS;
    seen = count();
  }
  await Promise.all(copies.map((copy) => copy.flush()));
}
