// Loaded into a server before its own first line: writes down that it lives, every millisecond in which it does.
import { appendFile } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds by a clock that all processes of the machine share. */
export function readMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** By the way a row takes as well: a timer, then a write that a thread does. */
function writeBeat(file: string): void {
  appendFile(file, `${readMonotonicMs()}\n`, () => setTimeout(writeBeat, 1, file).unref());
}

const file = process.env['PULSE_FILE'];
if (isMainThread && file) writeBeat(file);
