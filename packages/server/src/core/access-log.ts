import type { Clock, Timer } from './clock.ts';
import type { LineDestination } from './log.ts';

/** Interval between writes. A busy process then makes one system call for many requests. */
const FLUSH_INTERVAL_MS = 100;
const FLUSH_BYTES = 64 * 1024;
/**
 * Size of a chunk. It has space for one more line of the usual length, so that few lines start a new chunk.
 */
const CHUNK_BYTES = FLUSH_BYTES + 16 * 1024;
/**
 * Maximum number of bytes that wait for the reader of the log. While it does not read, further lines are
 * dropped.
 */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

/** The `log.access` settings in the configuration in use. */
export interface AccessLogSettings {
  readonly enabled: boolean;
  readonly sample: number;
}

/**
 * Writes one line per finished request. Callers must call `accepts` first, so that they format only
 * lines that will be written.
 */
export interface AccessLog {
  /**
   * Returns whether to log a request with this result. If the log is enabled, it contains all errors, and a
   * sample of all other requests.
   */
  accepts(isError: boolean): boolean;
  /**
   * Writes one line.
   * @param line JSON with a line break at the end
   */
  write(line: string): void;
}

/** An access log that discards every line. */
export const DISABLED_ACCESS_LOG: AccessLog = { accepts: () => false, write: () => undefined };

/** The settings and dependencies of an `AccessLogWriter`. */
export interface AccessLogWriterOptions {
  readonly destination: LineDestination;
  readonly settings: () => AccessLogSettings;
  readonly clock: Pick<Clock, 'after' | 'now'>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/**
 * Collects access log lines and writes them in batches. A request never waits for a write. Each line is
 * encoded immediately, because encoding a batch of texts takes five times as long.
 */
export class AccessLogWriter implements AccessLog {
  readonly #options: AccessLogWriterOptions;
  /** The chunk to which lines are added, and the number of its used bytes. */
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #used = 0;
  /** Copies of full chunks that wait for the reader. */
  #full: Buffer[] = [];
  #fullBytes = 0;
  #timer: Timer | null = null;
  #isBlocked = false;
  #dropped = 0;

  constructor(options: AccessLogWriterOptions) {
    this.#options = options;
    options.destination.onDrain(() => this.#onDrain());
  }

  accepts(isError: boolean): boolean {
    const { enabled, sample } = this.#options.settings();
    return enabled && (isError || sample >= 1 || this.#options.random() < sample);
  }

  write(line: string): void {
    if (this.#fullBytes + this.#used > MAX_PENDING_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#append(line);
    if (this.#used >= FLUSH_BYTES) this.#flush();
    else this.#timer ??= this.#options.clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }

  /** Writes all pending lines before the process ends. */
  close(): void {
    this.#timer?.cancel();
    this.#reportDropped();
    const { destination } = this.#options;
    this.#putAside();
    for (const bytes of this.#full) destination.write(bytes);
    this.#full = [];
    destination.flushSync();
  }

  #append(line: string): void {
    // UTF-8 has at most three bytes per UTF-16 code unit.
    if (this.#used + line.length * 3 > CHUNK_BYTES) this.#putAside();
    if (line.length * 3 > CHUNK_BYTES) this.#keep(Buffer.from(line));
    else this.#used += this.#chunk.write(line, this.#used);
  }

  /** Copies the chunk, so that it can be used again immediately. */
  #putAside(): void {
    if (this.#used > 0) this.#keep(Buffer.from(this.#chunk.subarray(0, this.#used)));
    this.#used = 0;
  }

  #keep(bytes: Buffer): void {
    this.#full.push(bytes);
    this.#fullBytes += bytes.length;
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#isBlocked) return;
    this.#reportDropped();
    this.#putAside();
    for (const bytes of this.#full) this.#isBlocked = !this.#options.destination.write(bytes);
    this.#full = [];
    this.#fullBytes = 0;
  }

  #onDrain(): void {
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    // Lines that wait for less than the interval are written by the timer.
    if (this.#timer === null || this.#full.length > 0) this.#flush();
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    const report = formatDropReport(this.#options.clock.now(), this.#dropped);
    this.#dropped = 0;
    this.#append(report);
  }
}

/**
 * Formats a string as a JSON string, and null or undefined as `null`. Strings without special characters take
 * a fast path.
 */
export function quoteJson(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null';
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

const PLAIN_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function formatDropReport(nowMs: number, lines: number): string {
  const time = new Date(nowMs).toISOString();
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'access log lines were dropped because the log output was not read fast enough' })}\n`;
}

/**
 * The start of the last line. It is the same for all lines of a millisecond. Formatting a date is slow.
 */
let lastPrefix = { ms: Number.NaN, text: '' };

/** Returns the start of an access log line. It contains the fields that all log lines have. */
export function formatAccessLogPrefix(nowMs: number): string {
  if (nowMs !== lastPrefix.ms)
    lastPrefix = { ms: nowMs, text: `{"level":"info","time":"${new Date(nowMs).toISOString()}"` };
  return lastPrefix.text;
}

/**
 * Formats a duration in milliseconds as a JSON number that is rounded to two decimals. Integers are formatted
 * several times faster than fractions.
 */
export function formatMilliseconds(ms: number): string {
  const hundredths = Math.round(ms * 100);
  // Longer durations (five months), negative ones and NaN take the ordinary path.
  if (!(hundredths >= 0 && hundredths <= MAX_FAST_HUNDREDTHS)) return JSON.stringify(hundredths / 100);
  const rest = hundredths % 100;
  const whole = `${(hundredths - rest) / 100}`;
  return rest === 0 ? whole : whole + (DECIMALS[rest] ?? '');
}

const MAX_FAST_HUNDREDTHS = 2 ** 40;

/** The texts from `.01` to `.99`, without trailing zeros. */
const DECIMALS = Array.from({ length: 100 }, (_, n) => (n / 100).toString().slice(1));
