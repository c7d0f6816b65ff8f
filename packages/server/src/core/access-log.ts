import type { Clock, Timer } from './clock.ts';
import type { LineDestination } from './log.ts';

/** Lines wait so long that a busy process writes many at once: one system call instead of one for each request. */
const FLUSH_INTERVAL_MS = 100;
const FLUSH_CHARS = 64 * 1024;
/** More is not kept for a reader of the log that does not read. */
const MAX_PENDING_CHARS = 8 * 1024 * 1024;

/** What `log.access` of the running configuration says. */
export interface AccessLogSettings {
  readonly enabled: boolean;
  readonly sample: number;
}

/** One line per finished request. Callers ask `accepts` first, so that a line that is not written is not formatted. */
export interface AccessLog {
  /** Whether to log a request that ended like this. Errors are not sampled. */
  accepts(isError: boolean): boolean;
  /** @param line JSON with a line break at the end */
  write(line: string): void;
}

export const NO_ACCESS_LOG: AccessLog = { accepts: () => false, write: () => undefined };

export interface AccessLogWriterOptions {
  readonly destination: LineDestination;
  readonly settings: () => AccessLogSettings;
  readonly clock: Pick<Clock, 'after'>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** Collects lines and writes them in batches. A request never waits for them. */
export class AccessLogWriter implements AccessLog {
  readonly #options: AccessLogWriterOptions;
  #pending = '';
  #timer: Timer | null = null;
  #isBlocked = false;

  constructor(options: AccessLogWriterOptions) {
    this.#options = options;
    options.destination.onDrain(() => {
      if (!this.#isBlocked) return;
      this.#isBlocked = false;
      this.#flush();
    });
  }

  accepts(isError: boolean): boolean {
    const { enabled, sample } = this.#options.settings();
    return enabled && (isError || sample >= 1 || this.#options.random() < sample);
  }

  write(line: string): void {
    if (this.#pending.length > MAX_PENDING_CHARS) return;
    this.#pending += line;
    if (this.#pending.length >= FLUSH_CHARS) this.#flush();
    else this.#timer ??= this.#options.clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }

  /** Writes everything that was logged; for the end of the process. */
  close(): void {
    this.#timer?.cancel();
    if (this.#pending !== '') this.#options.destination.write(this.#pending);
    this.#pending = '';
    this.#options.destination.flushSync();
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#isBlocked || this.#pending === '') return;
    const lines = this.#pending;
    this.#pending = '';
    this.#isBlocked = !this.#options.destination.write(lines);
  }
}

/** A text as JSON, or null; most are plain and need no escapes. */
export function quoteJson(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null';
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

const PLAIN_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Start of every line: the fields that all log lines have. */
export function accessLineHead(nowMs: number): string {
  return `{"level":"info","time":"${new Date(nowMs).toISOString()}"`;
}
