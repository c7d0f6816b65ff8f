import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export { readMonotonicMs } from './pulse-beats.ts';

/**
 * Longer between two signs of life counts as this long. What a server promises within milliseconds it can only do while
 * the machine runs it, and one that is busy or shared stops it for as long as it likes.
 */
const LONGEST_TURN_MS = 5;

export interface ServerPulse {
  /** What the server is started with. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Once the server was killed: how long it lived after a moment of `readMonotonicMs`, in milliseconds in which it came to
   * run its timers and to write to its disk.
   */
  livedSince(): (at: number) => number;
}

/** Signs of life of a server that is going to be killed, written by the server itself. */
export function startServerPulse(): ServerPulse {
  const home = mkdtempSync(join(tmpdir(), 'floe-pulse-'));
  const file = join(home, 'beats');
  return {
    env: { NODE_OPTIONS: `--import=${import.meta.resolve('./pulse-beats.ts')}`, PULSE_FILE: file },
    livedSince() {
      const beats = readFileSync(file, 'utf8').trim().split('\n').map(Number);
      rmSync(home, { recursive: true });
      return (at) =>
        beats.reduce((lived, beat, n) => {
          const from = Math.max(at, beats[n - 1] ?? beat);
          return beat > from ? lived + Math.min(beat - from, LONGEST_TURN_MS) : lived;
        }, 0);
    },
  };
}
