import type { Readable } from 'node:stream';
import type { LineDestination } from '../../core/log.ts';
import { LogLineTagger } from './log-line-tagger.ts';

/**
 * Copies the log lines of several processes to one destination, and adds the field `process` to each line.
 */
export class LogPipe {
  readonly #destination: LineDestination;
  /** Outputs that wait until the destination has written its lines. */
  readonly #paused = new Set<Readable>();

  constructor(destination: LineDestination) {
    this.#destination = destination;
    destination.onDrain(() => {
      for (const output of this.#paused) output.resume();
      this.#paused.clear();
    });
  }

  add(processNumber: number, output: Readable): void {
    const tagger = new LogLineTagger(processNumber);
    output.on('data', (chunk: Buffer) => {
      const lines = tagger.tag(chunk);
      if (lines.length === 0 || this.#destination.write(lines)) return;
      this.#paused.add(output);
      output.pause();
    });
    output.on('end', () => {
      const last = tagger.end();
      if (last.length > 0) this.#destination.write(last);
    });
  }
}
