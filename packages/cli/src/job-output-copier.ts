import type { Readable, Writable } from 'node:stream';
import type { OutputTail } from './output-tail.ts';

const TICK_MS = 50;
/** How long a job that has ended may be silent before its output counts as complete. */
const SILENCE_MS = 1_000;
/** Maximum output in buffers of the operating system when a job ends. More is from a daemon that it started. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * Copies standard output or standard error of a job to the same stream of this process, and appends it to the
 * recorded tail.
 */
export class JobOutputCopier {
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

  /** The number of bytes that have been read so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the reader of this process's output is slower than the job. */
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
 * Waits until the output that a job wrote before it ended has been copied, even if the reader of this
 * process's output is slow. A daemon that the job started may keep the output open. This function therefore
 * also ends if no output arrives for a short time, or after 1 MiB of further output. Time in which the reader
 * blocks the copy does not count.
 * @param closed resolves when the output has ended
 */
export async function waitForRemainingOutput(
  copies: readonly JobOutputCopier[],
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
